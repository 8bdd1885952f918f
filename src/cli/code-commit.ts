// The commit of the project's own checkout, for the provenance of published runs. It is known only if the project is a git checkout, and left
// out otherwise.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { APP_VERSION } from '../lab/protocol/version.ts';

/** Paths that decide a run's numbers; a changed document makes no tree dirty. */
const CODE = ['src', 'shaders', 'public/models', 'package.json', 'package-lock.json'];

/** Runs git without optional locks: `status` may otherwise lock the index and block another git command in the checkout. */
const git = async (root: string, ...args: string[]): Promise<string> =>
  (await promisify(execFile)('git', ['--no-optional-locks', '-C', root, ...args], { timeout: 10_000 })).stdout.trim();

/** 40 hex digits, with `-dirty` where the code differs from that commit's (untracked files too); null where unknown. */
export async function codeCommit(root: string): Promise<string | null> {
  try {
    // A checkout of something else around the project says nothing about it.
    if ((await git(root, 'rev-parse', '--show-prefix')) !== '') return null;
    const commit = await git(root, 'rev-parse', 'HEAD');
    const changes = await git(root, 'status', '--porcelain', '--untracked-files=all', '--', ...CODE);
    return /^[0-9a-f]{40}$/.test(commit) ? commit + (changes === '' ? '' : '-dirty') : null;
  } catch {
    return null;
  }
}

/** Provenance of every row that a command keeps. */
export interface MadeBy {
  /** Milliseconds since the epoch. */
  createdAt: number;
  device: string;
  appVersion: string;
  /** Absent where unknown. */
  commit?: string;
}

/** Provenance of rows made from now on. */
export async function madeBy(root: string, device: string): Promise<() => MadeBy> {
  const commit = await codeCommit(root);
  const known = commit === null ? {} : { commit };
  return () => ({ createdAt: Date.now(), device, appVersion: APP_VERSION, ...known });
}
