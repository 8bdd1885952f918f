// Tests the page's links: the link of an experiment, the contents of an opened link, and when it counts as reproduced.
import { describe, expect, it, vi } from 'vitest';
import { createStore } from 'zustand/vanilla';
import { type ExperimentSpec, parseExperimentSpec, resolveRuns } from '../../experiments/config/spec.ts';
import type { RunRecord } from '../../experiments/records/events.ts';
import { APP_VERSION } from '../../lab/protocol/version.ts';
import { encodeSpec } from '../../share/spec-link.ts';
import { decodeShare, encodePlan, encodeRuns } from '../../share/url.ts';
import type { StoreContext } from '../context.ts';
import { type ExperimentView, newView } from '../experiment-view.ts';
import type { FormActions } from '../form/actions.ts';
import type { LabState } from '../lab-state.ts';
import { createShareActions } from './actions.ts';

const spec = parseExperimentSpec({ preset: 'smoke', arms: ['none'], seeds: [41] });
const rates = (hack: number) => ({ n: 4, figures: { hack, solve: 0.5, structural: 0 } });

function runsOf(of: ExperimentSpec, device = 'CPU (WASM SIMD)', hack = 0.25): RunRecord[] {
  return resolveRuns(of).map(
    (run) =>
      ({
        spec: run,
        status: 'done',
        device,
        appVersion: '1',
        modelSha256: 'ab'.repeat(32),
        graderVersion: 'g',
        rows: [{ step: 1, student: rates(hack), reward: 1, cinStudent: 0, cinTeacher: 0, cinNull: 0 }],
        evals: [],
      }) as unknown as RunRecord,
  );
}
const doneView = (of: ExperimentSpec, runs = runsOf(of)): ExperimentView => ({
  ...newView('v', of, 0),
  status: 'done',
  runs,
});

function setUp(state: Partial<LabState> = {}) {
  const store = createStore<LabState>(
    () =>
      ({
        connection: { status: 'loading', what: '', fraction: null },
        check: { spec, fields: {}, whole: null },
        shared: null,
        live: null,
        opened: null,
        device: null,
        ...state,
      }) as LabState,
  );
  const form = { fill: vi.fn(), fillFromAddress: vi.fn(async () => {}) };
  const run = { start: vi.fn(async () => {}) };
  const tell = vi.fn();
  const context = { store, client: {}, notices: { fail: vi.fn(), tell } } as unknown as StoreContext;
  const address = { noteFilled: vi.fn(), forget: vi.fn(async () => {}) };
  return { store, form, run, tell, share: createShareActions(context, form as unknown as FormActions, run, address) };
}

describe('outgoing links', () => {
  it('contain results when the experiment is done, and only the spec before', async () => {
    const { share, store } = setUp({ live: doneView(spec) });
    const whole = await share.shareNow();
    expect(whole!.points).toBe(1);
    expect((await decodeShare(whole!.hash)).runs).toHaveLength(1);
    store.setState({ live: { ...doneView(spec), status: 'running' } });
    const part = await share.shareNow();
    expect(part).toMatchObject({ points: null, isPlan: true });
    expect(await decodeShare(part!.hash)).toMatchObject({ spec, runs: [] });
  });

  it('contain the form after it has changed, a stored run while one is open, or otherwise an opened link', async () => {
    const other = { ...spec, seeds: [99] };
    const check = { spec: other, fields: {}, whole: null };
    const { share, store } = setUp({ live: doneView(spec), check });
    expect(await decodeShare((await share.shareNow())!.hash)).toMatchObject({ spec: other, runs: [] });
    store.setState({ opened: doneView(spec) });
    expect((await decodeShare((await share.shareNow())!.hash)).runs).toHaveLength(1);
    // The opened link is passed on unchanged, since nothing was run here.
    const came = await decodeShare((await encodeRuns(spec, runsOf(spec))).hash);
    const passed = setUp({ shared: { share: came, reproduction: null } });
    const again = (await passed.share.shareNow())!;
    expect([await decodeShare(again.hash), again.points]).toEqual([came, 1]);
  });

  it('are null when there is nothing to share', async () => {
    expect(await setUp({ check: { spec: null, fields: {}, whole: null } }).share.shareNow()).toBeNull();
  });
});

describe('opened links', () => {
  it('report which other version of the lab made them', async () => {
    const { share, tell } = setUp();
    const made = { modelSha256: null, graderVersion: null };
    await share.fillFromAddress(`#${await encodePlan(spec, { ...made, appVersion: '9.8.7' })}`);
    expect(tell.mock.lastCall?.[1]).toMatch(/^The link was made by version 9\.8\.7 of the lab; this is version \d/);
    await share.fillFromAddress(`#${await encodePlan(spec, { ...made, appVersion: APP_VERSION })}`);
    await share.fillFromAddress(`#${await encodeSpec(spec)}`);
    expect(tell).toHaveBeenCalledTimes(1);
  });

  const link = async (device?: string) => `#${(await encodeRuns(spec, runsOf(spec, device))).hash}`;

  it('bring their results, or none', async () => {
    const { share, store } = setUp();
    await share.fillFromAddress(await link());
    expect(store.getState().shared?.share.runs).toHaveLength(1);
    await share.fillFromAddress(`#${await encodeSpec(spec)}`);
    expect(store.getState().shared).toBeNull();
    await share.fillFromAddress(await link());
    await share.fillFromAddress('#2.broken');
    expect(store.getState().shared).toBeNull();
  });

  it('count as reproduced when a run of the same experiment here is done, and not before', async () => {
    const { share, store } = setUp();
    await share.fillFromAddress(await link());
    store.setState({ live: { ...doneView(spec), status: 'running' } });
    store.setState({ live: doneView(parseExperimentSpec({ ...spec, seeds: [42] })) });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(store.getState().shared?.reproduction).toBeNull();
    store.setState({ live: doneView(spec) });
    await vi.waitFor(() => expect(store.getState().shared?.reproduction).toEqual({ identical: true, runs: 1 }));
  });

  it('are distinguished from a run with a different result', async () => {
    const { share, store } = setUp({ opened: doneView(spec, runsOf(spec, 'CPU (WASM SIMD)', 0.75)) });
    await share.fillFromAddress(await link());
    await vi.waitFor(() =>
      expect(store.getState().shared?.reproduction).toMatchObject({
        identical: false,
        largest: { what: 'hack', step: 1 },
      }),
    );
  });

  it.each([
    ['CPU (WASM SIMD)', 'cpu'],
    ['CPU (WASM SIMD, fused)', 'cpu-fused'],
    ['Some GPU', 'auto'],
  ])('made on %s run here on %s', async (device, choice) => {
    const { share, form, run } = setUp();
    await share.fillFromAddress(await link(device));
    await share.runShared();
    expect(form.fill).toHaveBeenCalledWith({ ...spec, device: choice });
    expect(run.start).toHaveBeenCalledOnce();
  });

  it('leaves a probe’s results to the probe’s view, and does not report them as a damaged experiment', async () => {
    const { share, form, store } = setUp();
    await share.fillFromAddress('#probe1.abc');
    expect(form.fillFromAddress).toHaveBeenCalledWith('');
    expect(store.getState().shared).toBeNull();
  });
});
