// What every kind says of itself, whoever keeps or shows it.

/** `Result`: what a finished one has found. */
export interface Kind<Result = never> {
  /** One of it, and several, as the page and the command line call them. */
  label: string;
  plural: string;
  /** Of its records; one of another layout is passed over. */
  schema: number;
  /**
   * The figures in which two results must agree to be the same to the last bit (digest.ts); null where the kind has no figures
   * of its own, and the same runs are the same result.
   */
  digested: ((result: Result) => unknown) | null;
}
