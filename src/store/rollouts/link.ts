// The address of one rollout: `?rollout=<runId>:<step>:<prompt>:<sample>`. It points into this browser's own records; the part after # (the
// experiment in the form) does not belong to it.
import type { RolloutPlace } from '../../lab/protocol/labels.ts';

export type RolloutRef = RolloutPlace;

const PARAMETER = 'rollout';

export const refKey = ({ runId, step, promptIndex, sampleIndex }: RolloutRef): string =>
  `${runId}:${step}:${promptIndex}:${sampleIndex}`;

/** Null for any other text. */
export function parseRef(text: string | null): RolloutRef | null {
  const match = /^([\w./-]{1,200}):(\d{1,7}):(\d{1,7}):(\d{1,7})$/.exec(text ?? '');
  if (!match) return null;
  const [step, promptIndex, sampleIndex] = match.slice(2).map(Number);
  return { runId: match[1], step, promptIndex, sampleIndex };
}

/** The rollout in the address; `unreadable` for an invalid reference, null without one. */
export function linksToRollout(search: string): RolloutRef | 'unreadable' | null {
  const text = new URLSearchParams(search).get(PARAMETER);
  return text === null ? null : (parseRef(text) ?? 'unreadable');
}

/** The page's address with the rollout in it; null removes it. */
export function withRollout(href: string, ref: RolloutRef | null): string {
  const url = new URL(href);
  url.searchParams.delete(PARAMETER);
  if (!ref) return url.href;
  // Slash and colon are allowed in a query, and are easier to read.
  const value = encodeURIComponent(refKey(ref)).replaceAll('%2F', '/').replaceAll('%3A', ':');
  url.search = url.search === '' ? `?${PARAMETER}=${value}` : `${url.search}&${PARAMETER}=${value}`;
  return url.href;
}

/** A link to send: it has neither the form's experiment nor a request to start. */
export function rolloutLink(href: string, ref: RolloutRef): string {
  const url = new URL(href);
  url.hash = '';
  url.search = '';
  return withRollout(url.href, ref);
}

export const experimentOf = (runId: string): string => runId.split('/')[0];
