import { generateScenario } from '@projected-grpo-lab/are/generate/generate.ts';
import { SPLITS } from '@projected-grpo-lab/are/generate/template.ts';
import { traceText } from '@projected-grpo-lab/are/scenario/export.ts';
import type { Trace, TraceEvent } from '@projected-grpo-lab/are/scenario/schema.ts';
import { sampleTrace, toAgent, toUser } from '@projected-grpo-lab/are/testing/sample.ts';
import { seededDraws } from '@projected-grpo-lab/are/world.ts';
import { atOnce } from '@projected-grpo-lab/base/parts.ts';
import { describe, expect, it } from 'vitest';
import { checkedDraft } from '../../lab/agents/scenario.ts';
import type { CallEntry, Entry } from '../../lab/protocol/agents.ts';
import { memoryAgents } from '../../lab/testing/agents.ts';
import type { FoundRow } from '../../storage/datasets/row.ts';
import { createAre as createAreWith } from './are.ts';
import type { Asker } from './asker.ts';
import { type Piece, piecesOf, pieceText, withNewEvent, withoutPiece, withPiece } from './draft.ts';
import { areHash } from './link.ts';
import type { AreForm } from './state.ts';
import { playLink } from './testing/play-link.ts';
import { marksIn, nearest, placeAt, windowOf } from './timeline.ts';

const createAre = () => createAreWith(memoryAgents());

async function played(form: Partial<AreForm>) {
  const are = createAre();
  are.setForm(form);
  await are.generate();
  await are.run();
  await are.looked();
  const state = are.store.getState();
  if (!state.played) throw new Error(state.problem?.message ?? 'no run');
  return { are, state, played: state.played };
}

describe('a run on the page', () => {
  it('generates the scenario of the form if no scenario is open, and reports a file that cannot be read', async () => {
    const are = createAre();
    are.setForm({ split: 'time', seed: 4 });
    await are.run();
    const { scenario, played: run } = are.store.getState();
    expect([scenario?.generated, run?.verdict.success]).toMatchObject([{ split: 'time', seed: 4, index: 0 }, true]);
    const gone = { name: 'x.json', size: 3, text: () => Promise.reject(new Error('it was moved')) };
    await are.openFile(gone);
    expect(are.store.getState().problem?.message).toBe('x.json cannot be read: it was moved.');
    await are.openFile({ ...gone, size: 1e12 });
    expect(are.store.getState().problem?.message).toContain('1000000000000 bytes');
    expect(are.store.getState().scenario).toBe(scenario);
  });

  it.each(SPLITS)('shows that the oracle passes, with all of its actions matched: %s', async (split) => {
    const { state, played: run } = await played({ split });
    expect(run.verdict.rationale).toBe('None');
    expect(state.entries.at(-1)).toMatchObject({ kind: 'end', reason: 'turns done' });
    expect(run.turns.map(({ success }) => success)).toEqual(Array(state.scenario?.turns).fill(true));
    const { rows } = run;
    expect(rows.length).toBeGreaterThan(0);
    for (const { status, place } of rows) {
      expect(status).toBe('matched');
      expect(state.entries[place as number]?.kind).toBe('call');
    }
    expect(run.unfired).toEqual([]);
    const times = state.entries.map(({ time }) => time);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  it('shows that a run with one mistake fails, what differs, and what was not checked', async () => {
    const { played: run } = await played({ agent: 'oracle-mistake' });
    expect(run.verdict.success).toBe(false);
    expect(run.mistake).toMatch(/another|left out/);
    const lacking = run.rows.filter(({ status }) => status === 'no call matches');
    const { lacking: missed, counts } = run.verdict;
    const hasReason = lacking.length === 1 ? (missed?.differences.length ?? 0) > 0 : (missed ?? counts);
    expect(hasReason).toBeTruthy();
  });

  it('shows that the silent agent leaves the events of later turns unfired', async () => {
    const { played: run } = await played({ split: 'adaptability', agent: 'silent' });
    expect(run.verdict.success).toBe(false);
    const { unfired: left } = run;
    expect(left.length).toBeGreaterThan(0);
    for (const { why } of left) expect(why).toMatch(/^It belongs to turn \d|^It comes after/);
  });

  it('draws one mark per moment, and no more marks than pixels', async () => {
    const { state } = await played({ split: 'adaptability' });
    const start = state.entries[0]?.from ?? 0;
    const shown = windowOf(state.entries, start, start, null);
    const marks = marksIn(state.entries, shown, 600);
    expect(marks[0]?.place).toBe(0);
    expect(marks.reduce((sum, { count }) => sum + count, 0)).toBe(state.entries.length);
    expect(nearest(marks, 0, 'user')).toBe(0);
    const many = Array.from({ length: 5000 }, (_, place) => ({
      ...(state.entries[0] as Entry),
      from: start + place / 100,
      time: start + place / 100,
    }));
    expect(marksIn(many, windowOf(many, start, start, null), 300).length).toBeLessThanOrEqual(301);
    // The window covers ten of the fifty seconds.
    const part = marksIn(many, windowOf(many, start, start + 25, 10), 1e5);
    expect(part.length).toBeGreaterThan(900);
    expect(part.length).toBeLessThan(1100);
  });

  it("can be stepped through, and shows the run's apps at the chosen entry", async () => {
    const { are, state } = await played({ split: 'adaptability' });
    const own = state.states?.apps.map((app) => app.state);
    const place = state.entries.findIndex((entry) => entry.kind === 'call' && entry.actor === 'agent');
    are.jump(place);
    await are.looked();
    const at = are.store.getState();
    expect(at.place).toBe(place);
    expect(at.states?.place).toBe(place);
    // At the first entry the oracle has not written anything.
    are.jump(0);
    await are.looked();
    expect(are.store.getState().states?.apps.map((app) => app.state)).not.toEqual(own);
    are.jump(-5);
    expect(are.store.getState().place).toBe(0);
  });

  it('plays at a speed to its end, and can be paused', async () => {
    const { are, state } = await played({});
    are.setSpeed(10);
    are.play();
    expect(are.store.getState()).toMatchObject({ place: 0, isPlaying: true });
    are.advance(0.3);
    const { now, place } = are.store.getState();
    expect(now).toBeCloseTo((state.entries[0]?.time ?? 0) + 3, 6);
    expect(place).toBe(placeAt(state.entries, now));
    are.pause();
    are.advance(100);
    expect(are.store.getState().place).toBe(place);
    are.play();
    are.advance(1e6);
    expect(are.store.getState()).toMatchObject({ place: state.entries.length - 1, isPlaying: false });
  });

  it('replays from an edited call, and drops later edits together with the calls that they changed', async () => {
    const { are, state, played: run } = await played({ split: 'adaptability' });
    const calls = state.entries.filter((entry) => entry.kind === 'call' && entry.act !== null) as CallEntry[];
    const mail = calls.find(
      ({ tool }) => tool !== 'wait_for_notification' && !tool.startsWith('send_message'),
    ) as CallEntry;
    const last = calls.at(-1) as CallEntry;
    const act = mail.act as number;
    const args = run.acts[act]?.args as string;
    // Repeating the same call gives the same run, byte for byte.
    const edit = { at: act, app: mail.app, tool: mail.tool, args, thought: '' };
    await are.amend(edit);
    expect(are.store.getState().entries).toEqual(state.entries);
    expect(are.store.getState().entries[are.store.getState().place]).toMatchObject({ kind: 'call', act });
    // The edit makes another call, with a thought. The earlier edit of the last act is dropped.
    await are.amend({ ...edit, at: last.act as number, app: 'SystemApp', tool: 'get_current_time', args: '{}' });
    expect(are.store.getState().played?.verdict.success).toBe(false);
    await are.amend({ ...edit, app: 'SystemApp', tool: 'get_current_time', args: '{}', thought: 'What time is it?' });
    const edited = are.store.getState();
    expect(edited.played?.recipe.edits).toHaveLength(1);
    expect(edited.played?.verdict.success).toBe(false);
    const place = state.entries.indexOf(mail);
    expect(edited.entries.slice(0, place)).toEqual(state.entries.slice(0, place));
    expect(edited.entries[place]).toMatchObject({ tool: 'get_current_time', thought: 'What time is it?' });
    await are.looked();
    expect(are.store.getState().states?.place).toBe(edited.place);
    await are.amend({ ...edit, args: '{"a": ' });
    expect(are.store.getState().problem?.message).toContain('not JSON');
    await are.amend({ ...edit, args: '[]' });
    expect(are.store.getState().problem?.message).toContain('not an object');
  });

  it('replays a run with noise exactly, at any entry and from its link, without reporting noise as a missing event', async () => {
    const { are, state, played: run } = await played({ split: 'adaptability', noise: 'high', agentSeed: 5 });
    const noise = state.entries.filter((entry) => entry.kind === 'call' && entry.id?.startsWith('env_expansion_'));
    const failed = state.entries.filter(
      (entry) => entry.kind === 'call' && 'error' in entry.outcome && entry.outcome.error.includes('Retry again later'),
    );
    expect([noise.length > 2, failed.length > 0]).toEqual([true, true]);
    expect(run.unfired.map(({ id }) => id)).not.toContainEqual(expect.stringMatching(/^env/));
    // The cost of this run cannot be compared with that of runs without noise.
    expect(are.store.getState().costs).toEqual([]);
    const other = createAre();
    await playLink(other, `#${await are.link()}`);
    expect(other.store.getState().form.noise).toBe('high');
    expect(JSON.stringify(other.store.getState().entries)).toBe(JSON.stringify(state.entries));
    const reader = createAre();
    await reader.open(String(await are.exported()), 'noisy.json');
    expect(reader.store.getState().scenario?.held?.success).toBe(run.verdict.success);
  });

  it('makes a link, with its edits, that plays the same run elsewhere', async () => {
    const { are, state } = await played({ split: 'time', seed: 5, index: 2, agent: 'random', agentSeed: 3 });
    const at = state.entries.flatMap((entry) => (entry.kind === 'call' ? (entry.act ?? []) : []))[1] as number;
    await are.amend({ at, app: 'SystemApp', tool: 'get_current_time', args: '{}', thought: 'Now?' });
    const hash = (await are.link()) as string;
    expect(hash).toMatch(/^are1\./);
    const other = createAre();
    await other.openLink(`#${hash}`);
    // The link is shown but not played, so that not even the oracle has run.
    expect(other.store.getState()).toMatchObject({ status: 'none', scenario: null, entries: [] });
    expect(other.store.getState().offer).toMatchObject({
      scenario: 'generated: time, seed 5, number 2',
      agent: 'random',
      calls: [`act ${at + 1}, edited: SystemApp.get_current_time {}`],
    });
    await other.acceptOffer();
    const [here, there] = [are.store.getState(), other.store.getState()];
    expect(there.problem).toBeNull();
    expect(there.entries).toEqual(here.entries);
    expect(there.entries).not.toEqual(state.entries);
    expect(there.form).toMatchObject({ split: 'time', seed: 5, index: 2, agent: 'random', agentSeed: 3 });
    await other.removeEdits();
    expect(other.store.getState().entries).toEqual(state.entries);
    // One address belongs to another view, and the other was cut off.
    await other.openLink('#1.abc');
    expect(other.store.getState().problem).toBeNull();
    await other.openLink(`#${hash.slice(0, -9)}`);
    expect(other.store.getState().problem?.message).toContain('damaged');
  });

  it('puts a small file into the link, and makes no link for a large file', async () => {
    const linked = async (trace: Trace) => {
      const are = createAre();
      await are.open(traceText(trace), 'mine.json');
      await are.run();
      return { are, hash: await are.link() };
    };
    const { are, hash } = await linked(sampleTrace());
    const other = createAre();
    await other.openLink(hash as string);
    expect(other.store.getState().offer?.tasks.length).toBeGreaterThan(0);
    other.declineOffer();
    expect(other.store.getState()).toMatchObject({ offer: null, scenario: null });
    await playLink(other, hash as string);
    expect(other.store.getState().scenario?.source).toBe('mine.json');
    expect(other.store.getState().entries).toEqual(are.store.getState().entries);
    const many = sampleTrace();
    const { id } = seededDraws(1, 'link');
    const noise = Array.from({ length: 600 }, () => ({ ...(many.events[3] as TraceEvent), event_id: id() }));
    many.events.push(...noise);
    expect((await linked(many)).hash === null).toBe(true);
  });

  it('shows a link whose pattern would never finish in JavaScript’s own engine, and ends when it is played', async () => {
    const trace = sampleTrace([
      toAgent('u1', 'Search.'),
      { id: 'o1', type: 'AGENT', call: 'Chats.regex_search', args: { query: '(a+)+$' }, after: ['u1'], delay: 1 },
      toUser('o2', ['o1']),
    ]);
    const limits = { messages_view_limit: 10, conversation_view_limit: 5, mode: 'NAME' };
    const nobody = { name_to_id: {}, id_to_name: {}, current_user_id: 'x', current_user_name: 'X' };
    const title = `${'a'.repeat(60)}!`;
    const conversation = { participant_ids: ['x'], messages: [], title, conversation_id: 'c', last_updated: 0 };
    trace.apps.push({
      name: 'Chats',
      class_name: 'MessagingAppV2',
      app_state: { ...limits, ...nobody, conversations: { c: conversation } },
    });
    const hash = (await areHash({
      scenario: { trace, name: 'evil.json' },
      agent: 'oracle',
      seed: 0,
      window: 'usual',
      maxSteps: 9,
      noise: 'none',
      edits: [],
      acts: null,
    })) as string;
    const are = createAre();
    await are.openLink(`#${hash}`);
    expect(are.store.getState()).toMatchObject({ scenario: null, offer: { link: { agent: 'oracle' } } });
    await are.acceptOffer();
    expect(are.store.getState()).toMatchObject({ status: 'done', problem: null });
  });

  it('exports a run and opens it again with its verdict, and reports the place of the error in a broken file', async () => {
    const { are, state } = await played({ agent: 'oracle-mistake' });
    const text = (await are.exported()) as string;
    const other = createAre();
    await other.open(text, 'run.json');
    expect(other.store.getState().scenario).toMatchObject({
      id: state.scenario?.id,
      held: { agent: 'oracle-mistake', success: false },
    });
    const broken = JSON.parse(text);
    broken.events[0].event_id = 7;
    await other.open(JSON.stringify(broken), 'broken.json');
    expect(other.store.getState().problem?.message).toMatch(/^broken\.json: events\[0\]\.event_id: /);
    // The scenario that was open before stays open.
    expect(other.store.getState().scenario?.id).toBe(state.scenario?.id);
  });
});

describe('a run that does not end by itself', () => {
  /** An agent whose model never answers. */
  const never: Asker = {
    ready: async () => 'm',
    release() {},
    chooseOnnx() {},
    write: () => new Promise(() => {}),
    row: () => Promise.reject(new Error('nobody fetches')),
  };

  it('is stopped by ending its worker; its entries stay, and the scenario can be played again in another worker', async () => {
    const workers = { begun: 0, ended: 0 };
    const are = createAreWith(memoryAgents(workers));
    are.askOf(never);
    are.setForm({ agent: 'react' });
    await are.generate();
    expect(workers).toEqual({ begun: 1, ended: 0 });
    void are.run();
    await expect.poll(() => are.store.getState().entries.length).toBeGreaterThan(0);
    expect(are.store.getState()).toMatchObject({ status: 'running', played: null });
    are.stop();
    expect(workers).toEqual({ begun: 1, ended: 1 });
    const { status, problem, entries, scenario } = are.store.getState();
    expect([status, problem]).toEqual(['stopped', null]);
    expect(entries.length).toBeGreaterThan(0);
    are.setForm({ agent: 'oracle' });
    await are.run();
    expect(are.store.getState()).toMatchObject({
      status: 'done',
      problem: null,
      played: { verdict: { success: true } },
    });
    expect(are.store.getState().scenario).toBe(scenario);
    expect(workers).toEqual({ begun: 2, ended: 1 });
    await are.looked();
    expect(are.store.getState().states?.place).toBe(are.store.getState().place);
  });

  it('leaves the run on show unchanged while another scenario is loaded and the loading is cancelled', async () => {
    const workers = { begun: 0, ended: 0 };
    const are = createAreWith(memoryAgents(workers));
    await are.run();
    const { played: before, entries } = are.store.getState();
    const reading = are.generate();
    expect(are.store.getState().isReading).toBe(true);
    are.stop();
    await reading;
    expect(are.store.getState()).toMatchObject({ isReading: false, status: 'done', problem: null });
    expect(are.store.getState().played).toBe(before);
    are.jump(0);
    await are.looked();
    expect([are.store.getState().states?.place, are.store.getState().entries]).toEqual([0, entries]);
    expect(workers).toEqual({ begun: 2, ended: 1 });
  });

  it('reports that a worker died, and starts another', async () => {
    let died: (reason: string) => void = () => {};
    const start = memoryAgents();
    const are = createAreWith(() => ({
      ...start(),
      onDied: (onDeath) => {
        died = onDeath;
      },
    }));
    are.askOf(never);
    are.setForm({ agent: 'react' });
    await are.generate();
    const run = are.run();
    await expect.poll(() => are.store.getState().entries.length).toBeGreaterThan(0);
    died('out of memory');
    await run;
    expect(are.store.getState().problem?.message).toBe('The worker that plays agents has ended: out of memory.');
    are.setForm({ agent: 'oracle' });
    await are.run();
    expect(are.store.getState()).toMatchObject({ status: 'done', problem: null });
  });
});

describe('a scenario that is edited on the page', () => {
  const trace = sampleTrace();
  const o1: Piece = { kind: 'events', at: 1 };
  const check = (draft: Trace) => atOnce(checkedDraft(draft));

  it('is split into pieces and joined again', () => {
    for (const { piece } of piecesOf(trace)) expect(withPiece(trace, piece, pieceText(trace, piece))).toEqual(trace);
    expect(check(trace)).toEqual(trace);
    expect(() => withPiece(trace, o1, '{"a"')).toThrow('not JSON');
  });

  it('reports errors with their place', () => {
    const changed = (from: string, to: string, piece = o1) =>
      check(withPiece(trace, piece, pieceText(trace, piece).replace(from, to)));
    expect(() => changed('"u1"', '"u9"')).toThrow(/^events\[1\]\.dependencies/);
    expect(() => changed('"event_relative_time": 1', '"event_relative_time": "1"')).toThrow(
      /^events\[1\]\.event_relative_time/,
    );
    expect(() => changed('"ENV"', '"AGENT"', { kind: 'events', at: 3 })).toThrow(
      /^events\[3\]: .*not allowed to link after/,
    );
    expect(() => changed('send_email', 'fly')).toThrow(/own run failed.*fly/);
    expect(() => check(withoutPiece(trace, o1))).toThrow('dependencies');
  });

  it('accepts another event, which is then played', async () => {
    const [first] = trace.events;
    const more = check(withNewEvent({ ...trace, events: [first as TraceEvent] }));
    expect(more.events[1]).toMatchObject({ event_id: 'event_2', dependencies: ['u1'] });
    const are = createAre();
    await are.take(more);
    await are.run();
    expect(are.store.getState().played?.verdict.success).toBe(true);
    expect(are.store.getState().scenario?.source).toBe('edited here');
  });
});

describe('a file whose apps are in a data set', () => {
  const whole = generateScenario({ split: 'execution', seed: 3, index: 0, part: 'training' }).trace;
  const bare: Trace = {
    ...whole,
    apps: [],
    metadata: {
      definition: { ...whole.metadata.definition, hf_metadata: { dataset: 'agents/gaia2', split: 'validation' } },
    },
  };
  const idle: Asker = {
    ready: async () => '',
    release() {},
    chooseOnnx() {},
    write: () => Promise.reject(new Error()),
    row: () => Promise.reject(new Error()),
  };

  it('is reported, and its data are fetched only at the user’s request; a failure is reported and can be retried', async () => {
    const are = createAre();
    const asked: unknown[] = [];
    let answer = () => Promise.reject<FoundRow>(new Error('no connection'));
    are.askOf({
      ...idle,
      row: (wanted) => {
        asked.push(wanted);
        return answer();
      },
    });
    await are.open(traceText(bare), 'bare.json');
    const { missing, problem, scenario } = are.store.getState();
    expect([missing?.apps.dataset, missing?.name, scenario, asked]).toEqual(['agents/gaia2', 'bare.json', null, []]);
    expect(problem?.remedy).toContain('Fetch its apps');
    await are.fetchApps();
    expect(are.store.getState()).toMatchObject({
      problem: { message: expect.stringContaining('no connection') },
      isReading: false,
    });
    answer = async () => ({ data: JSON.stringify(whole), commit: '', path: '', bytes: 0 });
    await are.fetchApps();
    expect(asked).toEqual(Array(2).fill(missing?.apps));
    expect(are.store.getState()).toMatchObject({
      missing: null,
      problem: null,
      scenario: { apps: whole.apps.map(({ name }) => name) },
    });
    expect((await are.trace())?.apps).toEqual(whole.apps);
    await are.run();
    expect(are.store.getState().played?.verdict.success).toBe(true);
  });

  it('is not fetched if the user declines, even during the download', async () => {
    const are = createAre();
    let ended = false;
    const row: Asker['row'] = (_, signal) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => {
          ended = true;
          reject(signal.reason);
        }),
      );
    are.askOf({ ...idle, row });
    await are.open(traceText(bare), 'bare.json');
    const fetching = are.fetchApps();
    are.declineApps();
    await fetching;
    expect([ended, are.store.getState().missing, are.store.getState().isReading]).toEqual([true, null, false]);
  });
});
