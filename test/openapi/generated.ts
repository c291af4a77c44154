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
         * @description Validates the request, freezes its credits, and responds before the work begins. A request that is sent twice is charged twice: do not resend it automatically after an unknown outcome.
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
         * @description Asks the provider for its progress and returns the task. Poll every five to ten seconds, and never more than once a second.
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
         * @description The credits of the key's account.
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
         * @description What the key's account has used since it exists.
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
        /** @description The task to create: exactly one of these. Unknown fields are ignored. */
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
                /** @description Styles to avoid. */
                negative_tags?: string;
                /** @description Whether the song has no vocals. False by default. */
                make_instrumental?: boolean;
                /**
                 * @description The version of the model, `v6` by default. `v5.5` and `v5` are accepted and use `v6`.
                 * @enum {string}
                 */
                model_version?: "v6" | "v5.5" | "v5";
                /** @description Accepted, without effect in this mode. */
                prompt?: unknown;
                /** @description Accepted, without effect in this mode. */
                tags?: unknown;
                /** @description Accepted, without effect in this mode. */
                title?: unknown;
                lyrics?: never;
                lyrics_type?: never;
                seed?: never;
                continue_clip_id?: never;
            } & {
                [key: string]: unknown;
            };
            /**
             * @description Requests MP3. By default, the audio has the provider's own format.
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
                /** @description The lyrics. May be blank if `tags` is not. */
                prompt?: string;
                /** @description Styles, separated by commas. May be blank if `prompt` is not. */
                tags?: string;
                /** @description Styles to avoid. */
                negative_tags?: string;
                /** @description Whether the song has no vocals. False by default. */
                make_instrumental?: boolean;
                /**
                 * @description The version of the model, `v6` by default. `v5.5` and `v5` are accepted and use `v6`.
                 * @enum {string}
                 */
                model_version?: "v6" | "v5.5" | "v5";
                /** @description A title of any JSON type; all but a string are serialized. */
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
             * @description Requests MP3. By default, the audio has the provider's own format.
             * @enum {string}
             */
            audio_format?: "mp3";
        } & {
            [key: string]: unknown;
        };
        /** @description A continuation of an earlier clip. 10 credits. */
        ContinuationMusicRequest: {
            /** @constant */
            model: "provider_a";
            /** @constant */
            task_type: "music";
            input: {
                /** @description A clip of an earlier music or upload task of the account. */
                continue_clip_id: string;
                /** @description The second of the clip at which to continue. */
                continue_at?: number;
                /** @description The lyrics of the continuation. */
                prompt?: string;
                /**
                 * @description The version of the model, `v6` by default. `v5.5` and `v5` are accepted and use `v6`.
                 * @enum {string}
                 */
                model_version?: "v6" | "v5.5" | "v5";
                /** @description A title of any JSON type; all but a string are serialized. */
                title?: unknown;
                /** @description Accepted, without effect in this mode. */
                gpt_description_prompt?: unknown;
                /** @description Accepted, without effect in this mode. */
                tags?: unknown;
                /** @description Accepted, without effect in this mode. */
                negative_tags?: unknown;
                /** @description Accepted, without effect in this mode. */
                make_instrumental?: unknown;
                lyrics?: never;
                lyrics_type?: never;
                seed?: never;
            } & {
                [key: string]: unknown;
            };
            /**
             * @description Requests MP3. By default, the audio has the provider's own format.
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
                /** @description The lyrics. */
                lyrics?: string;
                /** @description Styles. */
                tags?: string;
                /**
                 * @description Whether lyrics are generated, the request's own, or absent.
                 * @enum {string}
                 */
                lyrics_type?: "generate" | "user" | "instrumental";
                /** @description A seed for the provider's random numbers. */
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
             * @description Requests MP3. By default, the audio has the provider's own format.
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
             * @description Accepted and returned, without effect.
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
                /** @description The address of the audio. It must be public: no local or private address. */
                url: string;
            } & {
                [key: string]: unknown;
            };
            /**
             * @description Requests MP3. By default, the audio has the provider's own format.
             * @enum {string}
             */
            audio_format?: "mp3";
        } & {
            [key: string]: unknown;
        };
        /** @description The whole song that ends with a continued clip. 5 credits. */
        ConcatRequest: {
            /** @constant */
            model: "provider_a";
            /** @constant */
            task_type: "concat";
            input: {
                /** @description The last clip of the song, from an earlier music task. */
                clip_id: string;
            } & {
                [key: string]: unknown;
            };
            /**
             * @description Requests MP3. By default, the audio has the provider's own format.
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
            /** @description The credits frozen for the task. */
            credits_charged: number;
            /** Format: date-time */
            created_at: string;
            /** @description The requested format; the audio may have another. Null if none was requested. */
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
            /** @description What the task costs; the same after a refund. */
            credits_cost: number;
            /** @description The input as it was sent. */
            input?: {
                [key: string]: unknown;
            };
            /** @description The requested format; the audio may have another. Null if none was requested. */
            audio_format?: string | null;
            output?: components["schemas"]["TaskOutput"] | null;
            /** @description Why the task failed, for people; the wording may change. */
            error?: string | null;
            /**
             * @description Why the task failed, for programs.
             * @enum {string|null}
             */
            error_code?: "content_moderation" | "invalid_task_input" | "rate_limited" | "upstream_provider_error" | null;
            /** @description False: the same request can never succeed. Null unless the task failed or timed out. */
            retryable?: boolean | null;
            /** @description The provider's stated wait. */
            retry_after_seconds?: number | null;
            /** Format: date-time */
            created_at?: string | null;
            /**
             * Format: date-time
             * @description Null until the task is final.
             */
            completed_at?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description The provider's report. */
        TaskOutput: {
            /** @description Clips, or lyrics for a lyrics task; null before the end and after a failure. */
            result?: components["schemas"]["Clip"][] | components["schemas"]["Lyrics"] | null;
            /** @enum {string} */
            task_type?: "music" | "lyrics" | "upload" | "concat";
            /** @enum {string} */
            status?: "queued" | "processing" | "completed" | "failed";
            /** @description For people, for example a percentage. */
            progress?: string | null;
            fail_reason?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description A piece of audio. Music clips have all fields; others have only the required ones. */
        Clip: {
            /** @description Identifies the clip in a continuation or a concat. */
            id: string;
            /**
             * Format: uri
             * @description Returns 404 from seven days after the task's end. Its Content-Type states the format.
             */
            audio_url: string;
            /**
             * Format: uri
             * @description Cover art, at the provider.
             */
            image_url?: string;
            /**
             * Format: uri
             * @description Larger cover art, if available.
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
            /** @description The lyrics, with tags such as [Verse] for the parts. */
            text: string;
        } & {
            [key: string]: unknown;
        };
        Balance: {
            /** @description Available for new tasks. */
            available: number;
            /** @description Held for unfinished tasks. */
            frozen: number;
            /** @description The sum of both. */
            total: number;
        } & {
            [key: string]: unknown;
        };
        Usage: {
            /** @description Tasks of every status. */
            tasks_created: number;
            /** @description The credits of all tasks, refunded ones included. */
            credits_used: number;
            /** @description The credits of all top-ups. */
            credits_topped_up: number;
        } & {
            [key: string]: unknown;
        };
        Error: {
            /** @description The HTTP status. */
            code: number;
            /** @description The error, for programs. */
            error_code: string;
            /** @description The error, for people; the wording may change. */
            message: string;
        };
        RateLimitError: {
            /** @description The HTTP status. */
            code: number;
            /** @description The error, for programs. */
            error_code: string;
            /** @description The error, for people; the wording may change. */
            message: string;
            /** @description Seconds until the next attempt. */
            retry_after_seconds: number;
        };
    };
    responses: {
        /** @description The request is invalid. Nothing was done. */
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
        /** @description The key is missing or invalid. */
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
        /** @description Too few credits are available. Nothing was done. */
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
        /** @description The key's rate limit is used up. Nothing was done. */
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
        /** @description An internal error. The outcome of a POST is unknown. */
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
        /** @description The provider failed. The outcome of a POST is unknown. */
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
        /** @description The requested audio format is unknown or unavailable. The interface leaves the status open. Nothing was done. */
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
        /** @description An id for the request, which the response repeats. An unsafe one is replaced. */
        RequestId: string;
    };
    requestBodies: never;
    headers: {
        /** @description The request's id: its own, or a new one. */
        "X-Request-Id": string;
        /** @description The requests left to the key. Absent if the key is invalid. */
        "X-RateLimit-Remaining": number;
        /** @description Seconds until the next attempt. */
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
                /** @description An id for the request, which the response repeats. An unsafe one is replaced. */
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
            /** @description The task was accepted. */
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
                /** @description An id for the request, which the response repeats. An unsafe one is replaced. */
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
            /** @description The task, in any status. */
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
                /** @description An id for the request, which the response repeats. An unsafe one is replaced. */
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
                /** @description An id for the request, which the response repeats. An unsafe one is replaced. */
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
