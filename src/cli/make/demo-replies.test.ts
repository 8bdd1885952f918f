// The published replies: those of the published demo's runs, to the demo's prompts, and before training those of the lab's own model.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { Engine } from '../../engine/decoder/engine.ts';
import { LETTERS } from '../../environments/characters/data.ts';
import { rolesOf } from '../../environments/characters/task.ts';
import { targetOf } from '../../environments/characters/texts.ts';
import { demoPath, readDemo } from '../../experiments/analysis/demo.ts';
import {
  BEFORE,
  REPLIES,
  readShownReplies,
  repliesOf,
  SHOWN_REPLIES_PATH,
  shownTasks,
} from '../../experiments/characters/replies.ts';
import { resolveRuns } from '../../experiments/config/spec.ts';
import { openModelText } from '../../storage/model-text.ts';
import { loadEmbeddedModel, openDevice } from '../ports.node.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const read = (path: string) => JSON.parse(readFileSync(`${ROOT}/public/${path}`, 'utf8'));
const file = readShownReplies(read(SHOWN_REPLIES_PATH))!;
const [run] = resolveRuns(file.spec);
const target = targetOf(LETTERS, run.teaches);
const tasks = shownTasks(LETTERS, rolesOf(LETTERS, target, run.character), target);

it('are of the published demo, to A and one near it, as many of each model', () => {
  expect(file.spec).toEqual(readDemo(read(demoPath('characters')))!.spec);
  expect(file.seed).toBe(run.seed);
  expect(file.speakers.map(({ name, group, prompts }) => ({ name, group, prompts }))).toEqual(
    tasks.map((own) => ({
      name: own[0].name,
      group: own[0].kind,
      prompts: own.map(({ prompt, wanted }) => ({ prompt, wanted })),
    })),
  );
  for (const { said, prompts } of file.speakers) {
    expect(Object.keys(said)).toEqual([BEFORE, ...file.spec.arms]);
    for (const replies of Object.values(said))
      expect(replies.map(({ length }) => length)).toEqual(prompts.map(() => REPLIES));
  }
});

it('before training are those of the model that comes with the lab', async () => {
  const files = await loadEmbeddedModel(ROOT, run.model);
  const { codec } = await openModelText(files, run.model);
  const quiet = { update: () => {}, line: () => {}, note: () => {}, end: () => {} };
  const { device } = await openDevice({ device: 'cpu', threads: 1, isPlain: true }, quiet);
  const policy = await Engine.create({ device, ...files, adapter: 'none' });
  try {
    for (const [i, own] of tasks.entries())
      expect(await repliesOf({ policy, codec }, own, file.seed)).toEqual(file.speakers[i].said[BEFORE]);
  } finally {
    policy.free();
    device.destroy();
  }
}, 60_000);
