// Intended differences between the port and recorded runs. Each has a line in docs/reference/are.md or docs/reference/are-apps.md with the
// same words for the reference's behaviour and the reason. A difference without an entry fails `lab are parity`; the others are counted
// separately.
import type { ParityCase } from './types.ts';

export interface Departure {
  /** The reference's behaviour, in the page's words. */
  readonly title: string;
  /** Why the port differs, in the page's words. */
  readonly reason: string;
  readonly file: string;
  /** Matches the text of a difference. */
  readonly pattern: RegExp;
}

const SCRIPTS = { file: 'app_calls.json' } as const;
const SANDBOX = String.raw`\/[^"\']*\/are_simulation_fs_sandbox_\w+`;

export const DEPARTURES: readonly Departure[] = [
  {
    ...SCRIPTS,
    title: 'errors of files show a temporary folder',
    reason: 'there is none',
    // The rest of the text must be equal: one group before the folder, one after it.
    pattern: new RegExp(String.raw`^\.steps.*error\[1\]: expected "([^"]*)${SANDBOX}([^"]*)", got "\1\/sandbox\2"$`),
  },
  {
    ...SCRIPTS,
    title: 'errors of files show a temporary folder',
    reason: 'there is none',
    pattern: /^\.steps.*error\[1\]: expected "(Operation not allowed outside sandbox: )\/[^"]*?(\/[^"]+)", got "\1\2"$/,
  },
  {
    ...SCRIPTS,
    title: 'errors of files show a temporary folder',
    reason: 'there is none',
    pattern: new RegExp(String.raw`^\.final_state\.\w+\.tmpdir: expected "${SANDBOX}", got "\/sandbox"$`),
  },
  {
    ...SCRIPTS,
    title: "`ls` in the disk's order; `info` and `ls` with inode, owner and times",
    reason: 'there is no disk',
    pattern:
      /^\.steps\[\d+\] \w+\.(?:ls|info) \.result(?:\[\d+\])?\.(?:(?:created|islink|mode|uid|gid|mtime|ino|nlink): missing|size: expected \d+, got \d+)$/,
  },
  {
    ...SCRIPTS,
    title: "`ls` in the disk's order; `info` and `ls` with inode, owner and times",
    reason: 'there is no disk',
    pattern:
      /^(?:\.steps\[\d+\] \w+\.(?:ls|tree) \.result|\.final_state\.\w+\.files(?:\.children(?:\[\d+\])?)*): in another order/,
  },
  {
    ...SCRIPTS,
    title: '`open` gives a handle',
    reason: 'an agent can do nothing with a handle',
    pattern: /^\.steps\[\d+\] \w+\.open \.result: expected .*, got "<open file '[^"]*"$/,
  },
  {
    ...SCRIPTS,
    title: '`cat` gives bytes; `*` and `?` in its path are patterns',
    reason: 'results are JSON',
    pattern: /^\.steps\[\d+\] \w+\.cat \.result: expected "b'(.*)'", got "\1"$/,
  },
  {
    ...SCRIPTS,
    title: 'sets: `participant_ids` of new and listed conversations, `get_all_tags`',
    reason: 'Python leaves the order open',
    pattern: /(?:\.participant_ids|\w+\.get_all_tags \.result): in another order/,
  },
  {
    ...SCRIPTS,
    title: "a new conversation's `last_updated` is the real wall clock",
    reason: 'determinism',
    pattern: /\.last_updated: expected [\d.]+, got [\d.]+$/,
  },
  {
    ...SCRIPTS,
    title: "`regex_search` on Python's backtracking engine",
    reason: "a pattern of somebody else's must not freeze a page",
    pattern: /^\.steps\[\d+\] \w+\.regex_search \.error\[1\]: expected/,
  },
  {
    ...SCRIPTS,
    title: "tools without a type check trip over a wrong argument in Python's own words",
    reason: "Python's words depend on where it trips",
    pattern: /^\.steps.*\.error\[1\]: expected .*, got "Argument '\w+' must be of type .*"$/,
  },
  {
    ...SCRIPTS,
    title: "a fault in an app's code (a TypeError of Python's) is its own class",
    reason: 'another language',
    pattern:
      /^\.steps.*\.error(?:\[0\]: expected "\w+", got "RuntimeError"|\[1\]: expected .*, got "Cannot read properties .*")$/,
  },
  {
    ...SCRIPTS,
    title: '`edit_contact` takes any value for any field',
    reason: 'later tools would fail without a name',
    pattern: /^\.steps\[\d+\] \w+\.edit_contact (?:\.result: missing|\.error: not expected)$/,
  },
];

/** The entry that covers a difference; undefined if there is none. */
export const entryOf = (
  file: string,
  difference: string,
  listed: readonly Departure[] = DEPARTURES,
): Departure | undefined => listed.find((entry) => entry.file === file && entry.pattern.test(difference));

/** The titles that cover all differences of a case; null if one is not covered. */
export function departureOf(
  { file, differences, missing }: ParityCase,
  listed: readonly Departure[] = DEPARTURES,
): string | null {
  if (missing !== undefined) return null;
  const titles = new Set<string>();
  for (const difference of differences) {
    const found = entryOf(file, difference, listed);
    if (!found) return null;
    titles.add(found.title);
  }
  return [...titles].join('; ');
}
