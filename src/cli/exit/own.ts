// `improve --model --problems`: any loaded model iterates on a file's problems. Rows are written part by part, and a file that was begun
// with the same model, problems and settings is continued.
import { createPyodideNodeGrader } from '../../environments/code/grading/node-grader.node.ts';
import { improve } from '../../experiments/exit/chains.ts';
import { IMPROVE_ROWS, type ImproveRow, WAYS, type Way } from '../../experiments/exit/rows.ts';
import { contentKey } from '../../experiments/records/artifacts.ts';
import { judgingReward } from '../../experiments/step/answers.ts';
import { NUMBER_RULES } from '../../lib/exact/read-number.ts';
import { openModelText } from '../../storage/model-text.ts';
import type { Thinking } from '../../text/thinking.ts';
import type { CommandContext } from '../command.ts';
import type { DeviceFlags } from '../device-flags.ts';
import { yieldToEvents } from '../drain.ts';
import { RowFile } from '../files/rows.node.ts';
import { readInput } from '../grade/lines.ts';
import { openEngine } from '../model/engine.ts';
import { readModel } from '../model/folder.ts';
import {
  JUDGED_WORDS,
  noteUnread,
  type PromptFlags,
  promptIdentity,
  promptSettings,
  thinkingWith,
} from '../model/prompts.ts';
import { type OwnTask, ownEnvironment } from './own-environment.ts';
import { hasAsserts, ownProblems } from './own-problems.ts';

interface OwnFlags extends DeviceFlags, PromptFlags {
  model: string | null;
  adapter: string | null;
  problems: string;
  steps: number;
  seeds: number;
  count: number;
  ways: readonly Way[] | null;
  'max-new': number;
  thinking: Thinking | null;
  out: string | null;
}

/** Problems answered together: a stop waits for them, or loses them. */
const PARALLEL_PROBLEMS = 4;

interface Part {
  way: Way;
  sampling: number;
  tasks: readonly OwnTask[];
}

export async function ownRows(flags: OwnFlags, context: CommandContext): Promise<ImproveRow[]> {
  const { progress, signal } = context;
  const { steps, 'max-new': maxNew, out } = flags;
  const { folder, files } = await readModel(flags, context);
  const prompts = await promptSettings(flags);
  const words = await openModelText(files, folder, prompts);
  await noteUnread(words, progress);
  const { chat: say, chatCodec: codec } = words;
  const thinking = thinkingWith(flags.thinking, words);
  progress.note(JUDGED_WORDS[thinking]);
  const fits = (prompt: string) => codec.encodeChat(prompt).length + maxNew <= files.config.maxPositions;
  const text = await readInput(flags.problems);
  const rules = hasAsserts(text) ? [] : [NUMBER_RULES];
  const made = await contentKey([files.sha256, text, steps, maxNew, ...rules, ...promptIdentity(prompts, thinking)]);
  const file = out === null ? null : await RowFile.open(out, IMPROVE_ROWS, progress.note);
  file?.checkMade(made, 'other problems, or other --steps, --max-new, --chat-template, --chat-arg or --thinking');
  const rows = [...(file?.rows ?? [])];
  if (rows.length > 0) progress.note(`${out} has ${rows.length} rows of this already: the rest is computed.`);
  const grader = hasAsserts(text) ? await createPyodideNodeGrader({ workers: 1 }) : null;
  const { engine, free } = await openEngine(files, flags, { progress, signal });
  try {
    const problems = ownProblems(text, flags.problems, grader).slice(0, flags.count);
    const all = problems.map((problem): OwnTask => ({ problem, prompt: say(problem.messages) }));
    const tasks = all.filter(({ prompt }) => fits(prompt));
    for (const { problem } of all.filter((task) => !tasks.includes(task)))
      progress.note(`Problem ${problem.id} is left out: its prompt leaves no room for ${maxNew} tokens.`);
    const own = ownEnvironment({ say, fits });
    const environment = { ...own, thinking, reward: judgingReward(own.reward, thinking) };
    const parts = partsOf(flags, tasks, rows);
    const total = parts.reduce((sum, part) => sum + part.tasks.length, 0);
    let done = 0;
    for (const { way, sampling, tasks: some } of parts) {
      progress.update('problems', done, total, way);
      const settings = { steps, maxNew, signal, seed: sampling, isIndependent: way === 'independent' };
      const chains = await improve({ policy: engine, codec }, environment, some, {
        ...settings,
        temperature: way === 'greedy' ? 0 : 1,
      });
      const own = chains.map((row): ImproveRow => ({ arm: 'base', seed: null, sampling, way, made, ...row }));
      rows.push(...own);
      await file?.append(...own);
      done += some.length;
      progress.update('problems', done, total, way);
      await yieldToEvents();
      signal.throwIfAborted();
    }
  } finally {
    free();
    await grader?.close();
  }
  return rows;
}

/** The parts that are not in `rows` yet, a few problems at a time. */
function partsOf(
  { ways, seeds }: OwnFlags,
  tasks: readonly OwnTask[],
  rows: readonly Pick<ImproveRow, 'id' | 'way' | 'sampling'>[],
): Part[] {
  return (ways ?? WAYS).flatMap((way) =>
    Array.from({ length: way === 'greedy' ? 1 : seeds }, (_, i) => (way === 'greedy' ? 0 : i + 1)).flatMap(
      (sampling) => {
        const known = new Set(rows.filter((row) => row.way === way && row.sampling === sampling).map(({ id }) => id));
        const left = tasks.filter(({ problem }) => !known.has(problem.id));
        return Array.from({ length: Math.ceil(left.length / PARALLEL_PROBLEMS) }, (_, i) => {
          return { way, sampling, tasks: left.slice(i * PARALLEL_PROBLEMS, (i + 1) * PARALLEL_PROBLEMS) };
        });
      },
    ),
  );
}
