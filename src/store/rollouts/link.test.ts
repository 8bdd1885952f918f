import { describe, expect, it } from 'vitest';
import { linksToRollout, parseRef, rolloutLink, withRollout } from './link.ts';

const ref = { runId: 'a1b2-c3/route/41', step: 12, promptIndex: 3, sampleIndex: 7 };

describe('a rollout’s address', () => {
  it('is read back as written, and the rest of the address is unchanged', () => {
    const href = withRollout('http://x/lab/?view=lab&rollout=old#1.abc', ref);
    expect(href).toBe('http://x/lab/?view=lab&rollout=a1b2-c3/route/41:12:3:7#1.abc');
    expect(linksToRollout(new URL(href).search)).toEqual(ref);
    expect(withRollout(href, null)).toBe('http://x/lab/?view=lab#1.abc');
  });

  it('is sent without the form’s experiment', () => {
    expect(rolloutLink('http://x/?start#1.abc', ref)).toBe('http://x/?rollout=a1b2-c3/route/41:12:3:7');
  });

  it('is null or unreadable if it is not valid', () => {
    expect(linksToRollout('?view=lab')).toBeNull();
    for (const bad of ['', 'x', 'run:1:2', 'run:1:2:x', 'run:-1:2:3', '<b>:1:2:3', `${'r'.repeat(300)}:1:2:3`]) {
      expect(parseRef(bad)).toBeNull();
      expect(linksToRollout(`?rollout=${encodeURIComponent(bad)}`)).toBe('unreadable');
    }
  });
});
