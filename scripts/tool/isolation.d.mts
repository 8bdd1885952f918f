export const ISOLATION: Readonly<Record<string, string>>;
