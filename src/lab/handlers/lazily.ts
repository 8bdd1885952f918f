// A part of the table of handlers that arrives with the first of its requests: a first visit does not pay for it.

// biome-ignore lint/suspicious/noExplicitAny: each handler has parameters of its own.
type Handler = (params: any) => Promise<unknown>;

/** `names`: all of them, which the compiler sees to. Loaded once; a load that failed is tried again by the next request. */
export function lazily<H extends Readonly<Record<keyof H, Handler>>>(
  names: Readonly<Record<keyof H, true>>,
  load: () => Promise<H>,
): H {
  let loading: Promise<H> | null = null;
  const loaded = () => {
    loading ??= load().catch((error: unknown) => {
      loading = null;
      throw error;
    });
    return loading;
  };
  const entries = (Object.keys(names) as (keyof H)[]).map((name) => [
    name,
    async (params: unknown) => (await loaded())[name](params),
  ]);
  return Object.fromEntries(entries) as H;
}
