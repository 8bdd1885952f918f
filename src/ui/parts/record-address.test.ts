// Tests the address of the run on show, in a history like that of a browser: opened, just finished, reloaded, back and forward, and not
// stored here.
import { afterEach, expect, it, vi } from 'vitest';
import { recordInAddress, runOnShow } from '../../store/runs/link.ts';
import { fakeLab, lists, ready, state, summary } from '../../store/testing/fake-lab.ts';
import { followRunOnShow } from './record-address.ts';
import { openView } from './view.ts';

/** A page is closed before the next one is opened. */
let stop = () => {};
afterEach(() => {
  stop();
  vi.unstubAllGlobals();
});

const EXPERIMENT = { schema: 1, preset: 'smoke', arms: ['none'], seeds: [41], overrides: { steps: 1 }, device: 'cpu' };

/** A window with a history, at this address. */
function browser(href: string) {
  const entries = [href];
  let at = 0;
  const moved = new Set<(event: object) => void>();
  const put = (next: string | URL) => new URL(next, entries[at]).href;
  const location = {
    get href() {
      return entries[at];
    },
    get search() {
      return new URL(entries[at]).search;
    },
    get hash() {
      return new URL(entries[at]).hash;
    },
  };
  const history = {
    state: null,
    pushState(_: unknown, __: string, next: string) {
      entries.splice(at + 1, entries.length, put(next));
      at++;
    },
    replaceState(_: unknown, __: string, next: string) {
      entries[at] = put(next);
    },
  };
  vi.stubGlobal('window', {
    location,
    history,
    addEventListener: (_: string, listener: (event: object) => void) => moved.add(listener),
    removeEventListener: (_: string, listener: (event: object) => void) => moved.delete(listener),
  });
  function go(by: number): void {
    at += by;
    for (const listener of moved) listener({ type: 'popstate' });
  }
  return { location, go, length: () => entries.length };
}

async function opened(href: string, kept: string[]) {
  const page = browser(href);
  const record = (id: string) => ({ record: { id, spec: EXPERIMENT, status: 'done', createdAt: 1 }, runs: [] });
  const fake = fakeLab({
    ...lists,
    'kept.list': ({ kind }: { kind: string }) => (kind === 'run' ? kept.map((id) => summary(id, 'done')) : []),
    'kept.load': ({ id }: { id: string }) => record(id),
  });
  stop();
  stop = followRunOnShow(fake.lab);
  await fake.lab.boot('', false);
  const run = () => recordInAddress(page.location.search);
  return { ...page, ...fake, run, shown: () => runOnShow(state(fake)) };
}

it('names an opened run, and leads to it after a reload, back and forward', async () => {
  const first = await opened('https://lab.test/?environment=chain#1.abc', ['a', 'b']);
  expect(first.run()).toBeNull();
  await first.lab.open('a');
  expect(first.location.href).toBe('https://lab.test/?environment=chain&run=a#1.abc');
  expect(first.length()).toBe(1);
  await first.lab.open('b');
  expect([first.run(), first.length()]).toEqual(['b', 2]);
  first.go(-1);
  await vi.waitFor(() => expect(first.shown()).toBe('a'));
  first.go(1);
  await vi.waitFor(() => expect(first.shown()).toBe('b'));
  expect([first.run(), first.length()]).toEqual(['b', 2]);

  // Another view's address does not name the run, and the Lab's address names it again.
  openView('kept');
  expect(first.run()).toBeNull();
  openView('lab');
  expect(first.run()).toBe('b');

  const again = await opened(first.location.href, ['a', 'b']);
  await vi.waitFor(() => expect(again.shown()).toBe('b'));
  await again.lab.showLive();
  expect([again.run(), again.shown()]).toEqual([null, null]);
});

it('names a run as soon as it has ended, and not while another is running', async () => {
  const { lab, run, emit, length } = await opened('https://lab.test/', []);
  await lab.startSpec('x', EXPERIMENT as never);
  emit({ type: 'experiment', summary: summary('x', 'running') } as never);
  expect(run()).toBeNull();
  emit({ type: 'experiment', summary: summary('x', 'done') } as never);
  await vi.waitFor(() => expect(run()).toBe('x'));
  await lab.startSpec('y', EXPERIMENT as never);
  expect([run(), length()]).toEqual([null, 1]);
});

it('reports that a run is not stored here, preserves its address, and opens it after its import', async () => {
  const kept: string[] = [];
  const page = await opened('https://lab.test/?run=far', kept);
  await vi.waitFor(() => expect(state(page).missingRun).toBe('far'));
  expect(page.run()).toBe('far');
  kept.push('far');
  page.emit({ type: 'kept', kind: 'run', id: 'far' });
  await vi.waitFor(() => expect(state(page).opened?.id).toBe('far'));
  expect([state(page).missingRun, page.run()]).toEqual([null, 'far']);

  const other = await opened('https://lab.test/?run=far', []);
  await vi.waitFor(() => expect(state(other).missingRun).toBe('far'));
  await other.lab.showLive();
  expect(other.run()).toBeNull();
});

it('does not change an address that belongs to another view', async () => {
  const { location, shown } = await opened('https://lab.test/?view=questions&q=Q2&run=Q2-41', ['Q2-41']);
  expect(location.href).toBe('https://lab.test/?view=questions&q=Q2&run=Q2-41');
  expect(shown()).toBeNull();
  expect(ready.device.kind).toBe('cpu');
});
