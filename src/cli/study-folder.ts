// The study's folder: finished runs as JSON, checkpoints and kept steps of what can go on, graded pools. Every file is written
// whole, so that a kill at any moment leaves the old one or the new one; several processes may work in one folder, each on
// runs of its own.
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { contentKey } from '../experiments/artifacts.ts';
import type { Checkpoint } from '../experiments/checkpoint.ts';
import type { StudyRun } from '../experiments/study/figures.ts';
import type { StudyStore } from '../experiments/study/store.ts';
import { FormatError } from '../lib/errors.ts';
import { writeWhole } from './ports.node.ts';
import { stepFolder } from './step-folder.ts';

export interface StudyFolder extends StudyStore {
  readonly path: string;
  /** Every finished run, by key. */
  all(): Promise<Map<string, StudyRun>>;
}

export function openStudyFolder(path: string): StudyFolder {
  const plain = (runId: string) => runId.replaceAll('/', '-');
  const checkpoint = (runId: string) => join(path, 'checkpoints', plain(runId));
  const runFile = async (key: string) => join(path, 'runs', `${(await contentKey(key)).slice(0, 16)}.json`);
  const poolFile = (key: string) => join(path, 'pools', `${key.slice(0, 16)}.jsonl`);
  const load = async (file: string): Promise<StudyRun | null> => {
    const bytes = await bytesOf(file);
    return bytes ? (parsed(file, () => JSON.parse(bytes.toString('utf8'))) as StudyRun) : null;
  };
  const runs = async () => (await namesIn(join(path, 'runs'))).filter((name) => /^[0-9a-f]{16}\.json$/.test(name));
  const all = async () => {
    const found = new Map<string, StudyRun>();
    for (const name of await runs()) {
      const run = await load(join(path, 'runs', name));
      if (run) found.set(run.key, run);
    }
    return found;
  };
  return {
    path,
    all,
    load: async (key) => load(await runFile(key)),
    keys: async () => [...(await all()).keys()],
    async save(run) {
      await writeWhole(await runFile(run.key), JSON.stringify(run));
      await rm(checkpoint(run.record.id), { force: true });
    },
    checkpoints: {
      async load(runId) {
        const bytes = await bytesOf(checkpoint(runId));
        return bytes ? (parsed(checkpoint(runId), () => deserialize(bytes)) as Checkpoint) : null;
      },
      save: (kept) => writeWhole(checkpoint(kept.runId), serialize(kept)),
    },
    steps: stepFolder((runId) => join(path, 'steps', plain(runId))),
    artifacts: {
      loadPool: async (key) => (await bytesOf(poolFile(key)))?.toString('utf8') ?? null,
      savePool: (key, lines) => writeWhole(poolFile(key), lines),
      loadTeacherPool: async () => null,
      loadBasis: async () => null,
      loadPairs: async () => null,
      // Every basis of the study can be extracted again from its spec.
      saveBasis: async () => {},
    },
  };
}

export async function prepareStudyFolder(path: string): Promise<void> {
  for (const part of ['runs', 'checkpoints', 'steps', 'pools'])
    try {
      await mkdir(join(path, part), { recursive: true });
    } catch (error) {
      throw new FormatError(
        `${join(path, part)} cannot be made (${(error as NodeJS.ErrnoException).code}).`,
        'Choose another folder with --out.',
      );
    }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

async function bytesOf(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function parsed(path: string, read: () => unknown): unknown {
  try {
    return read();
  } catch {
    throw new FormatError(`${path} is damaged.`, 'Delete it: the study makes it again.');
  }
}
