// Converts Zod's issues to messages: the innermost place, and what is allowed there.

export interface Issue {
  code?: string;
  message: string;
  path: PropertyKey[];
  keys?: string[];
  errors?: Issue[][];
  expected?: string;
  values?: unknown[];
  options?: unknown[];
  origin?: string;
  minimum?: number | bigint;
  maximum?: number | bigint;
}

/** A union reports the issues of each of its forms; this returns that of the nearest form. */
export function innermost(issue: Issue): Issue {
  const forms = issue.errors ?? [];
  // In a union of plain types there is no inner place.
  if (forms.length === 0 || forms.every((form) => form.every(({ path, errors }) => path.length === 0 && !errors)))
    return issue;
  const depth = (form: Issue[]) => Math.max(...form.map(({ path }) => path.length));
  const [nearestForm] = [...forms].sort((a, b) => a.length - b.length || depth(b) - depth(a));
  const [deepest] = [...nearestForm].sort((a, b) => b.path.length - a.path.length);
  const inner = innermost(deepest);
  return { ...inner, path: [...issue.path, ...inner.path] };
}

const TYPES: Readonly<Record<string, string>> = {
  number: 'a number',
  int: 'a whole number',
  string: 'a text',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

/** Names that are allowed there; empty if it is not a choice of names. */
export const choices = ({ values, options }: Issue): string[] => (values ?? options ?? []).map(String);

/** What is allowed, such as `one of grid, random, halving`, `a whole number`, `at least 1 value`; null if the message already says it. */
export function allowed(issue: Issue): string | null {
  const { code, expected = '', errors, origin, minimum, maximum } = issue;
  const names = choices(issue);
  if (names.length > 0) return names.length === 1 ? names[0] : `one of ${names.join(', ')}`;
  if (code === 'invalid_type') return TYPES[expected] ?? null;
  if (code === 'invalid_union' && errors) {
    const forms = errors.flat().map((form) => allowed(form));
    return forms.includes(null) ? null : [...new Set(forms)].join(', or ');
  }
  const unit = { array: 'value', string: 'character' }[origin ?? ''];
  const most = code === 'too_big' ? maximum : undefined;
  const bound = code === 'too_small' ? minimum : most;
  if (bound === undefined) return null;
  if (unit) return `at ${most === undefined ? 'least' : 'most'} ${bound} ${unit}${Number(bound) === 1 ? '' : 's'}`;
  return `${bound} or ${most === undefined ? 'more' : 'less'}`;
}
