/** Made of `/_emulator/openapi.json` by openapi-typescript: see `npm run openapi:write`. */

export interface paths {
    "/_emulator/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Begin anew. The clock's mode and the API key stay. */
        post: operations["post_reset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_emulator/state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Look at everything. Like every look, this applies the hour to all tasks. */
        get: operations["get_state"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_emulator/clock/advance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Move time forward, to 9900-01-01T00:00:00Z at the latest. */
        post: operations["post_clock_advance"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_emulator/snapshot": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Take the whole state out. */
        get: operations["get_snapshot"];
        /** Put a whole state in, and go on from there. */
        put: operations["put_snapshot"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_emulator/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create an account with a key. */
        post: operations["post_accounts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_emulator/accounts/{account_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Suspend an account or lift that; let its saved card refuse to be charged, or accept again. */
        patch: operations["patch_accounts_one"];
        trace?: never;
    };
    "/_emulator/accounts/{account_id}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create a key. Its value is shown this once. */
        post: operations["post_accounts_keys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_emulator/accounts/{account_id}/keys/{key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete a key, for ever. */
        delete: operations["delete_accounts_keys_one"];
        options?: never;
        head?: never;
        /** Disable a key, or enable it again. */
        patch: operations["patch_accounts_keys_one"];
        trace?: never;
    };
    "/_emulator/accounts/{account_id}/top-ups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All payments, the automatic ones too, oldest first. */
        get: operations["get_accounts_top_ups"];
        put?: never;
        /** Buy credits. Completed at once, unless the outcome says otherwise. */
        post: operations["post_accounts_top_ups"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_emulator/accounts/{account_id}/top-ups/{payment_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Complete a pending payment, or refuse it. */
        patch: operations["patch_accounts_top_ups_one"];
        trace?: never;
    };
    "/_emulator/accounts/{account_id}/auto-top-up": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The automatic top-up as it is set. */
        get: operations["get_accounts_auto_top_up"];
        /** Set the automatic top-up. Enabling it and changing an amount need a fresh authorization. */
        put: operations["put_accounts_auto_top_up"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_emulator/accounts/{account_id}/authorizations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Authorize one change of the automatic top-up. */
        post: operations["post_accounts_authorizations"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_emulator/accounts/{account_id}/billing": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The billing information; every field is null until it was saved. */
        get: operations["get_accounts_billing"];
        /** Save the billing information. A field of blanks is missing. */
        put: operations["put_accounts_billing"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_emulator/accounts/{account_id}/invoices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One invoice for each completed payment. */
        get: operations["get_accounts_invoices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_emulator/accounts/{account_id}/invoices/{invoice_id}.pdf": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** An invoice as a PDF. */
        get: operations["get_accounts_invoices_pdf_one"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_emulator/providers/{model}/next": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Give the provider's next task an outcome; called again, the one after it. */
        post: operations["post_providers_next"];
        /** Take back the outcomes that the provider's next tasks were given. */
        delete: operations["delete_providers_next"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_emulator/providers/{model}/always": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Give all of the provider's tasks an outcome from now on; null ends that. */
        put: operations["put_providers_always"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_emulator/faults": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Arm a fault. Of several that match a request, the first fires. */
        post: operations["post_faults"];
        /** Disarm all faults. */
        delete: operations["delete_faults"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_emulator/policy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Choose what the interface leaves open. */
        patch: operations["patch_policy"];
        trace?: never;
    };
    "/_emulator/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change the rate limit of every key. */
        patch: operations["patch_limits"];
        trace?: never;
    };
    "/_emulator/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Every exchange with the service, oldest first. */
        get: operations["get_requests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_emulator/requests/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The same as server-sent events: first those that were, then each as it ends. */
        get: operations["get_requests_stream"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_emulator/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Every rule of the service that a client broke. */
        get: operations["get_audit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_emulator/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All that is small, and how much there is of the rest. Like every look, this applies the hour. */
        get: operations["get_overview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_emulator/tasks/from/{ordinal}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The tasks from this place on, in the order of their creation, in short. */
        get: operations["get_tasks_from_one"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_emulator/tasks/{task_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A task as the API would answer it now, what its provider plans, and what it cost. */
        get: operations["get_tasks_one"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_emulator/accounts/{account_id}/ledger/from/{place}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The movements of an account's credits from this place on, oldest first. */
        get: operations["get_accounts_ledger_from_one"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_emulator/accounts/{account_id}/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send the API a request with a key of the account. It counts, and is logged, like any other. */
        post: operations["post_accounts_requests"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_emulator/clips/{clip_id}/audio": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a clip's audio_url leads to, without a trace in the log. It knows ranges. */
        get: operations["get_clips_audio"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_emulator/clips/{clip_id}/art": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A clip's cover art. */
        get: operations["get_clips_art"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_emulator/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This description. */
        get: operations["get_openapi_json"];
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
        Error: {
            code: number;
            error_code: string;
            message: string;
        };
        Policy: {
            invalid_audio_format_status: number;
            audio_format_unavailable_status: number;
            /** @enum {string} */
            audio_conversion: "on" | "off" | "failing";
            /** @enum {string} */
            mixed_field_sets: "reject" | "named_only";
            /** @enum {string} */
            null_audio_format: "reject" | "omitted";
            /** @enum {string} */
            rate_limit_window: "fixed" | "sliding";
            /** @enum {string} */
            running_after: "provider" | "first_read";
            /** @enum {string} */
            late_success: "timeout" | "success";
            /** @enum {string} */
            timeout_error_code: "content_moderation" | "invalid_task_input" | "rate_limited" | "upstream_provider_error";
            timeout_retryable: boolean;
            /** @enum {string} */
            auto_top_up_month: "calendar_utc" | "rolling_30_days";
        };
        Limits: {
            requests: number;
            window_seconds: number;
        };
        Account: {
            /** Format: uuid */
            account_id: string;
            suspended: boolean;
            balance: components["schemas"]["Balance"];
            usage: components["schemas"]["Usage"];
            keys: components["schemas"]["Key"][];
            ledger: components["schemas"]["LedgerEntry"][];
        };
        Balance: {
            available: number;
            frozen: number;
            total: number;
        };
        Usage: {
            tasks_created: number;
            credits_used: number;
            credits_topped_up: number;
        };
        Key: {
            /** Format: uuid */
            key_id: string;
            disabled: boolean;
        };
        LedgerEntry: {
            /** Format: date-time */
            at: string;
            /** @enum {string} */
            kind: "top_up" | "freeze" | "settle" | "refund";
            credits: number;
            task_id: string | null;
        };
        Payment: {
            /** Format: uuid */
            payment_id: string;
            /** Format: date-time */
            at: string;
            usd: number;
            credits: number;
            /** @enum {string} */
            method: "card" | "crypto";
            /** @enum {string} */
            status: "completed" | "refused" | "pending";
            automatic: boolean;
            card: string | null;
            invoice_id: string | null;
        };
        AutoTopUp: {
            enabled: boolean;
            threshold_credits: number | null;
            recharge_usd: number | null;
            monthly_cap_usd: number | null;
            saved_card: string | null;
            charged_this_month_usd: number;
            paused_until: string | null;
        };
        Billing: {
            name: string;
            address_line_1: string;
            /** @default null */
            address_line_2: string | null;
            /** @default null */
            postal_code: string | null;
            city: string;
            country: string;
            /** @default null */
            tax_id: string | null;
        };
        MaybeBilling: {
            name: string | null;
            address_line_1: string | null;
            /** @default null */
            address_line_2: string | null;
            /** @default null */
            postal_code: string | null;
            city: string | null;
            country: string | null;
            /** @default null */
            tax_id: string | null;
        };
        Invoice: {
            /** Format: uuid */
            payment_id: string;
            /** Format: date-time */
            at: string;
            usd: number;
            credits: number;
            /** @enum {string} */
            method: "card" | "crypto";
            invoice_id: string;
        };
        FaultRule: {
            method?: string;
            path?: string;
            times?: number;
            probability?: number;
            fault: {
                /** @constant */
                kind: "status";
                status: number;
                error_code?: string;
                retry_after_seconds?: number;
                /** @enum {string} */
                when: "before" | "after";
            } | {
                /** @constant */
                kind: "disconnect";
                /** @enum {string} */
                when: "before" | "after";
            } | {
                /** @constant */
                kind: "latency";
                ms: number;
            } | {
                /** @constant */
                kind: "malformed";
            } | {
                /** @constant */
                kind: "stall";
            };
        };
        LoggedRequest: {
            /** Format: date-time */
            at: string;
            method: string;
            path: string;
            status: number | null;
            request_id: string;
            account_id: string | null;
            error_code: string | null;
        };
        Finding: {
            /** @enum {string} */
            rule: "polled_too_often" | "resubmitted_after_unknown_outcome" | "ignored_retry_after" | "resent_not_retryable";
            /** Format: date-time */
            at: string;
            request_id: string;
            detail: string;
        };
        Outcome: {
            /** @enum {string} */
            outcome?: "success" | "failure" | "hang" | "reject";
            queue_seconds?: number;
            process_seconds?: number;
            polls?: number;
            clips?: number;
            /** @enum {string} */
            format?: "wav" | "mp3";
            storable?: boolean;
            alternate_urls?: string[];
            error?: string;
            /** @enum {string} */
            error_code?: "content_moderation" | "invalid_task_input" | "rate_limited" | "upstream_provider_error";
            retryable?: boolean;
            retry_after_seconds?: number | null;
        };
        TaskRow: {
            ordinal: number;
            /** Format: uuid */
            account_id: string;
            /** Format: uuid */
            task_id: string;
            /** @enum {string} */
            model: "provider_a" | "provider_b";
            /** @enum {string} */
            type: "music" | "lyrics" | "upload" | "concat";
            /** @enum {string} */
            status: "pending" | "running" | "success" | "failure" | "timeout";
            credits_cost: number;
            about: string;
            error_code: string | null;
            /** Format: date-time */
            created_at: string;
            completed_at: string | null;
        };
    };
    responses: {
        /** @description The body or the path is not what the call takes. Nothing has changed. */
        400: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The request comes from a page of another origin, or under a foreign name. */
        403: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description There is nothing with this id. */
        404: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The account's billing information is incomplete. */
        409: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description The caller's own, where it is safe. */
        RequestId: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    post_reset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    seed?: number;
                    credits?: number;
                    policy?: "vary" | {
                        invalid_audio_format_status?: number;
                        audio_format_unavailable_status?: number;
                        /** @enum {string} */
                        audio_conversion?: "on" | "off" | "failing";
                        /** @enum {string} */
                        mixed_field_sets?: "reject" | "named_only";
                        /** @enum {string} */
                        null_audio_format?: "reject" | "omitted";
                        /** @enum {string} */
                        rate_limit_window?: "fixed" | "sliding";
                        /** @enum {string} */
                        running_after?: "provider" | "first_read";
                        /** @enum {string} */
                        late_success?: "timeout" | "success";
                        /** @enum {string} */
                        timeout_error_code?: "content_moderation" | "invalid_task_input" | "rate_limited" | "upstream_provider_error";
                        timeout_retryable?: boolean;
                        /** @enum {string} */
                        auto_top_up_month?: "calendar_utc" | "rolling_30_days";
                    };
                    limits?: {
                        requests?: number;
                        window_seconds?: number;
                    };
                };
            };
        };
        responses: {
            /** @description Begin anew. The clock's mode and the API key stay. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        account_id: string;
                        api_key: string;
                    };
                };
            };
            400: components["responses"]["400"];
            403: components["responses"]["403"];
        };
    };
    get_state: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Look at everything. Like every look, this applies the hour to all tasks. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        now: string;
                        policy: components["schemas"]["Policy"];
                        limits: components["schemas"]["Limits"];
                        accounts: components["schemas"]["Account"][];
                        tasks: ({
                            /** Format: uuid */
                            account_id: string;
                            /** Format: uuid */
                            task_id: string;
                            model: string;
                            type: string;
                            status: string;
                            credits_cost: number;
                            /** Format: date-time */
                            created_at: string;
                            completed_at: string | null;
                        } & {
                            [key: string]: unknown;
                        })[];
                    };
                };
            };
            400: components["responses"]["400"];
            403: components["responses"]["403"];
        };
    };
    post_clock_advance: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    seconds: number;
                };
            };
        };
        responses: {
            /** @description Move time forward, to 9900-01-01T00:00:00Z at the latest. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        now: string;
                    };
                };
            };
            400: components["responses"]["400"];
            403: components["responses"]["403"];
        };
    };
    get_snapshot: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Take the whole state out. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        version: 1;
                        /** Format: date-time */
                        time: string;
                        state: {
                            [key: string]: unknown;
                        };
                    };
                };
            };
            400: components["responses"]["400"];
            403: components["responses"]["403"];
        };
    };
    put_snapshot: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @constant */
                    version: 1;
                    /** Format: date-time */
                    time: string;
                    state: {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description Put a whole state in, and go on from there. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            403: components["responses"]["403"];
        };
    };
    post_accounts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    credits?: number;
                };
            };
        };
        responses: {
            /** @description Create an account with a key. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        account_id: string;
                        /** Format: uuid */
                        key_id: string;
                        api_key: string;
                    };
                };
            };
            400: components["responses"]["400"];
            403: components["responses"]["403"];
        };
    };
    patch_accounts_one: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    suspended?: boolean;
                    /** @enum {string} */
                    saved_card?: "accepts" | "refuses";
                };
            };
        };
        responses: {
            /** @description Suspend an account or lift that; let its saved card refuse to be charged, or accept again. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
            400: components["responses"]["400"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
        };
    };
    post_accounts_keys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Create a key. Its value is shown this once. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        key_id: string;
                        api_key: string;
                    };
                };
            };
            400: components["responses"]["400"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
        };
    };
    delete_accounts_keys_one: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account_id: string;
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Delete a key, for ever. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
        };
    };
    patch_accounts_keys_one: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account_id: string;
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    disabled: boolean;
                };
            };
        };
        responses: {
            /** @description Disable a key, or enable it again. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
            400: components["responses"]["400"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
        };
    };
    get_accounts_top_ups: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All payments, the automatic ones too, oldest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        payments: components["schemas"]["Payment"][];
                    };
                };
            };
            400: components["responses"]["400"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
        };
    };
    post_accounts_top_ups: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    usd: number;
                    /** @enum {string} */
                    method: "card" | "crypto";
                    /** @enum {string} */
                    outcome?: "completed" | "refused" | "pending";
                };
            };
        };
        responses: {
            /** @description Buy credits. Completed at once, unless the outcome says otherwise. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Payment"];
                };
            };
            400: components["responses"]["400"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
        };
    };
    patch_accounts_top_ups_one: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account_id: string;
                payment_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    status: "completed" | "refused";
                };
            };
        };
        responses: {
            /** @description Complete a pending payment, or refuse it. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Payment"];
                };
            };
            400: components["responses"]["400"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
        };
    };
    get_accounts_auto_top_up: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The automatic top-up as it is set. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AutoTopUp"];
                };
            };
            400: components["responses"]["400"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
        };
    };
    put_accounts_auto_top_up: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    enabled: boolean;
                    threshold_credits?: number | null;
                    recharge_usd?: number | null;
                    monthly_cap_usd?: number | null;
                    authorization?: string | null;
                };
            };
        };
        responses: {
            /** @description Set the automatic top-up. Enabling it and changing an amount need a fresh authorization. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AutoTopUp"];
                };
            };
            400: components["responses"]["400"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
        };
    };
    post_accounts_authorizations: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Authorize one change of the automatic top-up. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        authorization: string;
                    };
                };
            };
            400: components["responses"]["400"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
        };
    };
    get_accounts_billing: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The billing information; every field is null until it was saved. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MaybeBilling"];
                };
            };
            400: components["responses"]["400"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
        };
    };
    put_accounts_billing: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    name: string;
                    address_line_1: string;
                    /** @default null */
                    address_line_2?: string | null;
                    /** @default null */
                    postal_code?: string | null;
                    city: string;
                    country: string;
                    /** @default null */
                    tax_id?: string | null;
                };
            };
        };
        responses: {
            /** @description Save the billing information. A field of blanks is missing. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Billing"];
                };
            };
            400: components["responses"]["400"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
        };
    };
    get_accounts_invoices: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One invoice for each completed payment. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        invoices: components["schemas"]["Invoice"][];
                    };
                };
            };
            400: components["responses"]["400"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
        };
    };
    get_accounts_invoices_pdf_one: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account_id: string;
                invoice_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An invoice as a PDF. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/pdf": unknown;
                };
            };
            400: components["responses"]["400"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
        };
    };
    post_providers_next: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                model: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    outcome?: "success" | "failure" | "hang" | "reject";
                    queue_seconds?: number;
                    process_seconds?: number;
                    polls?: number;
                    clips?: number;
                    /** @enum {string} */
                    format?: "wav" | "mp3";
                    storable?: boolean;
                    alternate_urls?: string[];
                    error?: string;
                    /** @enum {string} */
                    error_code?: "content_moderation" | "invalid_task_input" | "rate_limited" | "upstream_provider_error";
                    retryable?: boolean;
                    retry_after_seconds?: number | null;
                };
            };
        };
        responses: {
            /** @description Give the provider's next task an outcome; called again, the one after it. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
        };
    };
    delete_providers_next: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                model: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Take back the outcomes that the provider's next tasks were given. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
        };
    };
    put_providers_always: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                model: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    outcome?: "success" | "failure" | "hang" | "reject";
                    queue_seconds?: number;
                    process_seconds?: number;
                    polls?: number;
                    clips?: number;
                    /** @enum {string} */
                    format?: "wav" | "mp3";
                    storable?: boolean;
                    alternate_urls?: string[];
                    error?: string;
                    /** @enum {string} */
                    error_code?: "content_moderation" | "invalid_task_input" | "rate_limited" | "upstream_provider_error";
                    retryable?: boolean;
                    retry_after_seconds?: number | null;
                } | null;
            };
        };
        responses: {
            /** @description Give all of the provider's tasks an outcome from now on; null ends that. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
        };
    };
    post_faults: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    method?: string;
                    path?: string;
                    times?: number;
                    probability?: number;
                    fault: {
                        /** @constant */
                        kind: "status";
                        status: number;
                        error_code?: string;
                        retry_after_seconds?: number;
                        /** @enum {string} */
                        when: "before" | "after";
                    } | {
                        /** @constant */
                        kind: "disconnect";
                        /** @enum {string} */
                        when: "before" | "after";
                    } | {
                        /** @constant */
                        kind: "latency";
                        ms: number;
                    } | {
                        /** @constant */
                        kind: "malformed";
                    } | {
                        /** @constant */
                        kind: "stall";
                    };
                };
            };
        };
        responses: {
            /** @description Arm a fault. Of several that match a request, the first fires. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FaultRule"];
                };
            };
            400: components["responses"]["400"];
            403: components["responses"]["403"];
        };
    };
    delete_faults: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Disarm all faults. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            403: components["responses"]["403"];
        };
    };
    patch_policy: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    invalid_audio_format_status?: number;
                    audio_format_unavailable_status?: number;
                    /** @enum {string} */
                    audio_conversion?: "on" | "off" | "failing";
                    /** @enum {string} */
                    mixed_field_sets?: "reject" | "named_only";
                    /** @enum {string} */
                    null_audio_format?: "reject" | "omitted";
                    /** @enum {string} */
                    rate_limit_window?: "fixed" | "sliding";
                    /** @enum {string} */
                    running_after?: "provider" | "first_read";
                    /** @enum {string} */
                    late_success?: "timeout" | "success";
                    /** @enum {string} */
                    timeout_error_code?: "content_moderation" | "invalid_task_input" | "rate_limited" | "upstream_provider_error";
                    timeout_retryable?: boolean;
                    /** @enum {string} */
                    auto_top_up_month?: "calendar_utc" | "rolling_30_days";
                };
            };
        };
        responses: {
            /** @description Choose what the interface leaves open. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Policy"];
                };
            };
            400: components["responses"]["400"];
            403: components["responses"]["403"];
        };
    };
    patch_limits: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    requests?: number;
                    window_seconds?: number;
                };
            };
        };
        responses: {
            /** @description Change the rate limit of every key. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Limits"];
                };
            };
            400: components["responses"]["400"];
            403: components["responses"]["403"];
        };
    };
    get_requests: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every exchange with the service, oldest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        requests: components["schemas"]["LoggedRequest"][];
                    };
                };
            };
            400: components["responses"]["400"];
            403: components["responses"]["403"];
        };
    };
    get_requests_stream: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The same as server-sent events: first those that were, then each as it ends. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["400"];
            403: components["responses"]["403"];
        };
    };
    get_audit: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every rule of the service that a client broke. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        findings: components["schemas"]["Finding"][];
                    };
                };
            };
            400: components["responses"]["400"];
            403: components["responses"]["403"];
        };
    };
    get_overview: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All that is small, and how much there is of the rest. Like every look, this applies the hour. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        generation: number;
                        /** @enum {string} */
                        clock: "real" | "virtual";
                        /** Format: date-time */
                        now: string;
                        service: string;
                        seed: number;
                        policy: components["schemas"]["Policy"];
                        limits: components["schemas"]["Limits"];
                        accounts: {
                            /** Format: uuid */
                            account_id: string;
                            suspended: boolean;
                            balance: components["schemas"]["Balance"];
                            usage: components["schemas"]["Usage"];
                            keys: components["schemas"]["Key"][];
                            ledger_entries: number;
                        }[];
                        tasks: number;
                        findings: number;
                        faults: {
                            rule: components["schemas"]["FaultRule"];
                            left: number | null;
                        }[];
                        providers: {
                            provider_a: {
                                next: components["schemas"]["Outcome"][];
                                always: components["schemas"]["Outcome"] | null;
                            };
                            provider_b: {
                                next: components["schemas"]["Outcome"][];
                                always: components["schemas"]["Outcome"] | null;
                            };
                        };
                    };
                };
            };
            400: components["responses"]["400"];
            403: components["responses"]["403"];
        };
    };
    get_tasks_from_one: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                ordinal: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tasks from this place on, in the order of their creation, in short. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        tasks: components["schemas"]["TaskRow"][];
                    };
                };
            };
            400: components["responses"]["400"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
        };
    };
    get_tasks_one: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A task as the API would answer it now, what its provider plans, and what it cost. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        account_id: string;
                        task: {
                            /** Format: uuid */
                            task_id: string;
                            status: string;
                        } & {
                            [key: string]: unknown;
                        };
                        reads: number;
                        plan: {
                            /** @enum {string} */
                            outcome: "success" | "failure" | "hang";
                            /** Format: date-time */
                            works_from: string;
                            ends_at: string | null;
                            ends_at_read: number | null;
                        };
                        ledger: components["schemas"]["LedgerEntry"][];
                    };
                };
            };
            400: components["responses"]["400"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
        };
    };
    get_accounts_ledger_from_one: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account_id: string;
                place: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The movements of an account's credits from this place on, oldest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        entries: components["schemas"]["LedgerEntry"][];
                    };
                };
            };
            400: components["responses"]["400"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
        };
    };
    post_accounts_requests: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    method: "GET" | "POST";
                    path: string;
                    body?: unknown;
                    outcome?: {
                        /** @enum {string} */
                        outcome?: "success" | "failure" | "hang" | "reject";
                        queue_seconds?: number;
                        process_seconds?: number;
                        polls?: number;
                        clips?: number;
                        /** @enum {string} */
                        format?: "wav" | "mp3";
                        storable?: boolean;
                        alternate_urls?: string[];
                        error?: string;
                        /** @enum {string} */
                        error_code?: "content_moderation" | "invalid_task_input" | "rate_limited" | "upstream_provider_error";
                        retryable?: boolean;
                        retry_after_seconds?: number | null;
                    };
                };
            };
        };
        responses: {
            /** @description Send the API a request with a key of the account. It counts, and is logged, like any other. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        ended: "answer" | "disconnect" | "stall";
                        status: number | null;
                        headers: {
                            [key: string]: string;
                        } | null;
                        body: unknown;
                    };
                };
            };
            400: components["responses"]["400"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
        };
    };
    get_clips_audio: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clip_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What a clip's audio_url leads to, without a trace in the log. It knows ranges. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "audio/*": unknown;
                };
            };
            400: components["responses"]["400"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
        };
    };
    get_clips_art: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clip_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A clip's cover art. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": unknown;
                };
            };
            400: components["responses"]["400"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
        };
    };
    get_openapi_json: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description This description. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        openapi: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["400"];
            403: components["responses"]["403"];
        };
    };
}
