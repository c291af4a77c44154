/** Made of `/openapi.json` by openapi-typescript: see `npm run openapi:write`. */

export interface paths {
    "/api/v1/task": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a task
         * @description Checks the request, freezes its credits, and answers before the work begins. Sent twice it is paid twice: after an unknown outcome, don't send it again by yourself.
         */
        post: operations["createTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/task/{taskId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a task
         * @description Asks the provider how far it is, and answers with what it says. Every five to ten seconds is a good pace; more than once a second is too much.
         */
        get: operations["retrieveTask"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/account/balance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the balance
         * @description The credits of the account that the key belongs to.
         */
        get: operations["getBalance"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/account/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the usage
         * @description What the account has asked for and paid in all its life.
         */
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description What is to be made: exactly one of these. Fields that none of them names are let through. */
        TaskRequest: components["schemas"]["InspirationMusicRequest"] | components["schemas"]["CustomMusicRequest"] | components["schemas"]["ContinuationMusicRequest"] | components["schemas"]["ProviderBMusicRequest"] | components["schemas"]["LyricsRequest"] | components["schemas"]["UploadRequest"] | components["schemas"]["ConcatRequest"];
        /** @description A song from a description. 10 credits. */
        InspirationMusicRequest: {
            /** @constant */
            model: "provider_a";
            /** @constant */
            task_type: "music";
            input: {
                /** @description What the song is about and how it sounds. */
                gpt_description_prompt: string;
                /** @description Styles to keep away from. */
                negative_tags?: string;
                /** @description Leaves the singing out; left out itself, it is false. */
                make_instrumental?: boolean;
                /**
                 * @description The generation of the model, `v6` where it is left out. `v5.5` and `v5` are taken and answered by `v6`.
                 * @enum {string}
                 */
                model_version?: "v6" | "v5.5" | "v5";
                /** @description Taken, and of no effect in this mode. */
                prompt?: unknown;
                /** @description Taken, and of no effect in this mode. */
                tags?: unknown;
                /** @description Taken, and of no effect in this mode. */
                title?: unknown;
                lyrics?: never;
                lyrics_type?: never;
                seed?: never;
                continue_clip_id?: never;
            } & {
                [key: string]: unknown;
            };
            /**
             * @description Pins the format of the audio; left out, it is whatever the provider made.
             * @enum {string}
             */
            audio_format?: "mp3";
        } & {
            [key: string]: unknown;
        };
        /** @description A song from lyrics, styles or both. 10 credits. */
        CustomMusicRequest: {
            /** @constant */
            model: "provider_a";
            /** @constant */
            task_type: "music";
            input: {
                /** @description The lyrics. May be blank where `tags` is not. */
                prompt?: string;
                /** @description Styles, separated by commas. May be blank where `prompt` is not. */
                tags?: string;
                /** @description Styles to keep away from. */
                negative_tags?: string;
                /** @description Leaves the singing out; left out itself, it is false. */
                make_instrumental?: boolean;
                /**
                 * @description The generation of the model, `v6` where it is left out. `v5.5` and `v5` are taken and answered by `v6`.
                 * @enum {string}
                 */
                model_version?: "v6" | "v5.5" | "v5";
                /** @description A title of any JSON type; what is no string is turned into one. */
                title?: unknown;
                lyrics?: never;
                lyrics_type?: never;
                seed?: never;
                gpt_description_prompt?: never;
                continue_clip_id?: never;
            } & {
                [key: string]: unknown;
            };
            /**
             * @description Pins the format of the audio; left out, it is whatever the provider made.
             * @enum {string}
             */
            audio_format?: "mp3";
        } & {
            [key: string]: unknown;
        };
        /** @description More of an earlier clip. 10 credits. */
        ContinuationMusicRequest: {
            /** @constant */
            model: "provider_a";
            /** @constant */
            task_type: "music";
            input: {
                /** @description The clip to go on from: made by an earlier music or upload task of the account. */
                continue_clip_id: string;
                /** @description The second of the source clip at which to go on. */
                continue_at?: number;
                /** @description The lyrics of what follows. */
                prompt?: string;
                /**
                 * @description The generation of the model, `v6` where it is left out. `v5.5` and `v5` are taken and answered by `v6`.
                 * @enum {string}
                 */
                model_version?: "v6" | "v5.5" | "v5";
                /** @description A title of any JSON type; what is no string is turned into one. */
                title?: unknown;
                /** @description Taken, and of no effect in this mode. */
                gpt_description_prompt?: unknown;
                /** @description Taken, and of no effect in this mode. */
                tags?: unknown;
                /** @description Taken, and of no effect in this mode. */
                negative_tags?: unknown;
                /** @description Taken, and of no effect in this mode. */
                make_instrumental?: unknown;
                lyrics?: never;
                lyrics_type?: never;
                seed?: never;
            } & {
                [key: string]: unknown;
            };
            /**
             * @description Pins the format of the audio; left out, it is whatever the provider made.
             * @enum {string}
             */
            audio_format?: "mp3";
        } & {
            [key: string]: unknown;
        };
        /** @description A song by the other provider. 5 credits. */
        ProviderBMusicRequest: {
            /** @constant */
            model: "provider_b";
            /** @constant */
            task_type: "music";
            input: {
                /** @description Style and mood. */
                prompt: string;
                /** @description The words to sing. */
                lyrics?: string;
                /** @description Styles. */
                tags?: string;
                /**
                 * @description Where the words come from: invented, the caller's, or none at all.
                 * @enum {string}
                 */
                lyrics_type?: "generate" | "user" | "instrumental";
                /** @description A number that the provider's chance begins with. */
                seed?: number;
                gpt_description_prompt?: never;
                make_instrumental?: never;
                negative_tags?: never;
                title?: never;
                model_version?: never;
                continue_clip_id?: never;
                continue_at?: never;
                url?: never;
                clip_id?: never;
            } & {
                [key: string]: unknown;
            };
            /**
             * @description Pins the format of the audio; left out, it is whatever the provider made.
             * @enum {string}
             */
            audio_format?: "mp3";
        } & {
            [key: string]: unknown;
        };
        /** @description Lyrics from a description. 5 credits. */
        LyricsRequest: {
            /** @constant */
            model: "provider_a";
            /** @constant */
            task_type: "lyrics";
            input: {
                /** @description What the lyrics are about. */
                prompt: string;
            } & {
                [key: string]: unknown;
            };
            /**
             * @description Taken and echoed, though lyrics have no sound.
             * @enum {string}
             */
            audio_format?: "mp3";
        } & {
            [key: string]: unknown;
        };
        /** @description A clip from audio at a public address. 1 credit. */
        UploadRequest: {
            /** @constant */
            model: "provider_a";
            /** @constant */
            task_type: "upload";
            input: {
                /** @description Where the audio is, for everybody on the internet: no local or private address. */
                url: string;
            } & {
                [key: string]: unknown;
            };
            /**
             * @description Pins the format of the audio; left out, it is whatever the provider made.
             * @enum {string}
             */
            audio_format?: "mp3";
        } & {
            [key: string]: unknown;
        };
        /** @description The whole song that a continued clip is the end of. 5 credits. */
        ConcatRequest: {
            /** @constant */
            model: "provider_a";
            /** @constant */
            task_type: "concat";
            input: {
                /** @description The last clip of the song, made by an earlier music task. */
                clip_id: string;
            } & {
                [key: string]: unknown;
            };
            /**
             * @description Pins the format of the audio; left out, it is whatever the provider made.
             * @enum {string}
             */
            audio_format?: "mp3";
        } & {
            [key: string]: unknown;
        };
        TaskSubmission: {
            /** Format: uuid */
            task_id: string;
            /** @enum {string} */
            type: "music" | "lyrics" | "upload" | "concat";
            /** @constant */
            status: "pending";
            /** @description What is frozen for the task. */
            credits_charged: number;
            /** Format: date-time */
            created_at: string;
            /** @description The format that was asked for, and no word about the real one; null where none was. */
            audio_format: string | null;
        } & {
            [key: string]: unknown;
        };
        Task: {
            /** Format: uuid */
            task_id: string;
            /** @enum {string} */
            model: "provider_a" | "provider_b";
            /** @enum {string} */
            type: "music" | "lyrics" | "upload" | "concat";
            /**
             * @description Final: success, failure, timeout.
             * @enum {string}
             */
            status: "pending" | "running" | "success" | "failure" | "timeout";
            /** @description What the task cost, or holds; the same after a refund. */
            credits_cost: number;
            /** @description What was asked for, as it came. */
            input?: {
                [key: string]: unknown;
            };
            /** @description The format that was asked for, and no word about the real one; null where none was. */
            audio_format?: string | null;
            output?: components["schemas"]["TaskOutput"] | null;
            /** @description Why it went wrong, for people; the wording may change. */
            error?: string | null;
            /**
             * @description Why it went wrong, for programs.
             * @enum {string|null}
             */
            error_code?: "content_moderation" | "invalid_task_input" | "rate_limited" | "upstream_provider_error" | null;
            /** @description False: the same request will never do. Null unless the task went wrong. */
            retryable?: boolean | null;
            /** @description A wait that the provider asks for. */
            retry_after_seconds?: number | null;
            /** Format: date-time */
            created_at?: string | null;
            /**
             * Format: date-time
             * @description Null until the task is over.
             */
            completed_at?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description What the provider reported. */
        TaskOutput: {
            /** @enum {string} */
            task_type?: "music" | "lyrics" | "upload" | "concat";
            /** @enum {string} */
            status?: "queued" | "processing" | "completed" | "failed";
            /** @description For people, a percentage for example. */
            progress?: string | null;
            fail_reason?: string | null;
            /** @description Clips, or lyrics for a lyrics task; null before the end and after a failure. */
            result?: components["schemas"]["Clip"][] | components["schemas"]["Lyrics"] | null;
        } & {
            [key: string]: unknown;
        };
        /** @description A piece of audio. Music clips have all fields; others have the required ones alone. */
        Clip: {
            /** @description Names the clip where it is to be continued or joined. */
            id: string;
            /**
             * Format: uri
             * @description Answers for seven days after the task's end, then with 404. Its Content-Type tells the format.
             */
            audio_url: string;
            /**
             * Format: uri
             * @description Cover art, at the provider's.
             */
            image_url?: string;
            /**
             * Format: uri
             * @description The same, larger, where there is one.
             */
            image_large_url?: string;
            title?: string;
            metadata?: {
                /** @description Seconds. */
                duration?: number;
                tags?: string;
                prompt?: string;
            } & {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        Lyrics: {
            title: string;
            /** @description The words, with tags such as [Verse] for the parts. */
            text: string;
        } & {
            [key: string]: unknown;
        };
        Balance: {
            /** @description Free for new tasks. */
            available: number;
            /** @description Held for tasks that are not over. */
            frozen: number;
            /** @description Both together. */
            total: number;
        } & {
            [key: string]: unknown;
        };
        Usage: {
            /** @description All tasks ever, however they ended. */
            tasks_created: number;
            /** @description What all of them cost, refunded ones too. */
            credits_used: number;
            /** @description What all top-ups brought. */
            credits_topped_up: number;
        } & {
            [key: string]: unknown;
        };
        Error: {
            /** @description The HTTP status once more. */
            code: number;
            /** @description What programs tell errors apart by. */
            error_code: string;
            /** @description What people read; the wording may change. */
            message: string;
        };
        RateLimitError: {
            /** @description The HTTP status once more. */
            code: number;
            /** @description What programs tell errors apart by. */
            error_code: string;
            /** @description What people read; the wording may change. */
            message: string;
            /** @description Seconds until the next try. */
            retry_after_seconds: number;
        };
    };
    responses: {
        /** @description The request is not one that the service takes. Nothing was done. */
        BadRequest: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @constant */
                    code?: 400;
                    /** @enum {string} */
                    error_code?: "invalid_json" | "invalid_request_body" | "missing_required_fields" | "invalid_model" | "unsupported_task_type" | "invalid_task_input" | "invalid_audio_format" | "audio_format_unavailable";
                };
            };
        };
        /** @description There is no key, or none that is good. */
        Unauthorized: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @constant */
                    code?: 401;
                    /** @enum {string} */
                    error_code?: "missing_api_key" | "invalid_api_key";
                };
            };
        };
        /** @description Too few credits are free. Nothing was done. */
        PaymentRequired: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @constant */
                    code?: 402;
                    /** @enum {string} */
                    error_code?: "insufficient_credits";
                };
            };
        };
        /** @description The account may not create tasks. Nothing was done. */
        Forbidden: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @constant */
                    code?: 403;
                    /** @enum {string} */
                    error_code?: "account_suspended";
                };
            };
        };
        /** @description The account has no such task. */
        NotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @constant */
                    code?: 404;
                    /** @enum {string} */
                    error_code?: "task_not_found";
                };
            };
        };
        /** @description The key has no requests left for now. Nothing was done. */
        TooManyRequests: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["RateLimitError"] & {
                    /** @constant */
                    code?: 429;
                    /** @enum {string} */
                    error_code?: "rate_limited";
                };
            };
        };
        /** @description Something broke inside. Of a POST, the outcome is unknown. */
        InternalError: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @constant */
                    code?: 500;
                    /** @enum {string} */
                    error_code?: "internal_error";
                };
            };
        };
        /** @description The provider failed. Of a POST, the outcome is unknown. */
        BadGateway: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @constant */
                    code?: 502;
                    /** @enum {string} */
                    error_code?: "upstream_provider_error";
                };
            };
        };
        /** @description The asked audio format is none, or can't be had now; the status is left open. Nothing was done. */
        AudioFormatRefused: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {string} */
                    error_code?: "invalid_audio_format" | "audio_format_unavailable";
                };
            };
        };
    };
    parameters: {
        /** @description The `task_id` of a task of the account. */
        TaskId: string;
        /** @description A name for the request, which the answer repeats. An unsafe one is replaced. */
        RequestId: string;
    };
    requestBodies: never;
    headers: {
        /** @description The name of the request: the one that it bore, or a new one. */
        "X-Request-Id": string;
        /** @description The requests that the key has left for now. A refused key is told nothing. */
        "X-RateLimit-Remaining": number;
        /** @description Seconds until the next try. */
        "Retry-After": number;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    createTask: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name for the request, which the answer repeats. An unsafe one is replaced. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TaskRequest"];
            };
        };
        responses: {
            /** @description The task is accepted. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": 202,
                     *       "data": {
                     *         "task_id": "3f0c5d0e-9a3b-4c56-8b1e-2f6d7a90c1de",
                     *         "type": "music",
                     *         "status": "pending",
                     *         "credits_charged": 10,
                     *         "created_at": "2026-05-04T09:30:00.000Z",
                     *         "audio_format": "mp3"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        code: 202;
                        data: components["schemas"]["TaskSubmission"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PaymentRequired"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["BadGateway"];
            default: components["responses"]["AudioFormatRefused"];
        };
    };
    retrieveTask: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name for the request, which the answer repeats. An unsafe one is replaced. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The `task_id` of a task of the account. */
                taskId: components["parameters"]["TaskId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The task, also if it failed. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": 200,
                     *       "data": {
                     *         "task_id": "3f0c5d0e-9a3b-4c56-8b1e-2f6d7a90c1de",
                     *         "model": "provider_a",
                     *         "type": "music",
                     *         "status": "success",
                     *         "credits_cost": 10,
                     *         "input": {
                     *           "gpt_description_prompt": "rain in Lisbon, a slow fado"
                     *         },
                     *         "audio_format": "mp3",
                     *         "output": {
                     *           "task_type": "music",
                     *           "status": "completed",
                     *           "progress": "100%",
                     *           "fail_reason": null,
                     *           "result": [
                     *             {
                     *               "id": "clip-1",
                     *               "audio_url": "https://music.example/audio/clip-1",
                     *               "image_url": "https://provider.example/art/clip-1",
                     *               "title": "Tram 28",
                     *               "metadata": {
                     *                 "duration": 94.5,
                     *                 "tags": "fado, slow",
                     *                 "prompt": "[Verse]\nrain on the tram"
                     *               }
                     *             }
                     *           ]
                     *         },
                     *         "error": null,
                     *         "error_code": null,
                     *         "retryable": null,
                     *         "retry_after_seconds": null,
                     *         "created_at": "2026-05-04T09:30:00.000Z",
                     *         "completed_at": "2026-05-04T09:32:10.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        code: 200;
                        data: components["schemas"]["Task"];
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    getBalance: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name for the request, which the answer repeats. An unsafe one is replaced. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The balance. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": 200,
                     *       "data": {
                     *         "available": 80,
                     *         "frozen": 10,
                     *         "total": 90
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        code: 200;
                        data: components["schemas"]["Balance"];
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    getUsage: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name for the request, which the answer repeats. An unsafe one is replaced. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The usage. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": 200,
                     *       "data": {
                     *         "tasks_created": 3,
                     *         "credits_used": 20,
                     *         "credits_topped_up": 100
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        code: 200;
                        data: components["schemas"]["Usage"];
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
}
