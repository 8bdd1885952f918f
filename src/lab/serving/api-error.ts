// An error for a client of the server, in the format of OpenAI's API: a status, and {message, type, param, code}.
import { LabError } from '@projected-grpo-lab/base/errors.ts';

export type ErrorStatus = 400 | 401 | 403 | 404 | 405 | 413 | 415 | 429 | 500 | 503;

const TYPES: Readonly<Partial<Record<ErrorStatus, string>>> = {
  401: 'authentication_error',
  429: 'rate_limit_error',
  500: 'server_error',
  503: 'server_error',
};

interface Details {
  readonly code?: string;
  /** The field of the request that is at fault. */
  readonly param?: string;
}

export class ApiError extends LabError {
  constructor(
    readonly status: ErrorStatus,
    message: string,
    remedy: string,
    private readonly details: Details = {},
  ) {
    super(message, remedy);
  }

  get body() {
    const { param = null, code = null } = this.details;
    const type = TYPES[this.status] ?? 'invalid_request_error';
    return { error: { message: `${this.message} ${this.remedy}`.trim(), type, param, code } };
  }
}

/** A field has an invalid value. */
export const invalid = (param: string, what: string, remedy: string): ApiError =>
  new ApiError(400, `${param}: ${what}`, remedy, { param, code: 'invalid_value' });

/** A field requests something that the lab does not support. */
export const unsupported = (param: string, what: string, remedy: string): ApiError =>
  new ApiError(400, `${param}: ${what}`, remedy, { param, code: 'unsupported_parameter' });
