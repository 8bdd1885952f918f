// The address of one rollout: `?rollout=<runId>:<step>:<prompt>:<sample>`. It refers to this browser's own records. The part after # (the
// experiment in the form) is not part of it.
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

/** The rollout in the address: `unreadable` for an invalid reference, null if there is none. */
export function linksToRollout(search: string): RolloutRef | 'unreadable' | null {
  const text = new URLSearchParams(search).get(PARAMETER);
  return text === null ? null : (parseRef(text) ?? 'unreadable');
}

/** The page's address with the rollout in it; null removes it. */
export function withRollout(href: string, ref: RolloutRef | null): string {
  const url = new URL(href);
  url.searchParams.delete(PARAMETER);
  if (!ref) return url.href;
  // Slash and colon are allowed in a query and are more readable than their escapes.
  const value = encodeURIComponent(refKey(ref)).replaceAll('%2F', '/').replaceAll('%3A', ':');
  url.search = url.search === '' ? `?${PARAMETER}=${value}` : `${url.search}&${PARAMETER}=${value}`;
  return url.href;
}

/** A link for other people, without the form's experiment and without a request to start. */
export function rolloutLink(href: string, ref: RolloutRef): string {
  const url = new URL(href);
  url.hash = '';
  url.search = '';
  return withRollout(url.href, ref);
}

export const experimentOf = (runId: string): string => runId.split('/')[0];
