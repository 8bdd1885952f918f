// Files of problems that a person imported, real ones or with checks of their own, under the sha-256 of their bytes, which a spec's environment
// names. Their parsers are loaded with the first file, so that the page opens without them.
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import type { ProblemText } from '../../experiments/records/artifacts.ts';
import { sha256 } from '../../storage/sources.ts';
import type { ProblemFileReport } from '../protocol/problems.ts';
import { KeptReports } from './kept-reports.ts';

interface StoredProblems {
  report: ProblemFileReport;
  text: string;
}

export class ProblemStore extends KeptReports<StoredProblems> {
  /** A file that is already there keeps its name and date. Throws FormatError, naming the line, before anything is kept. */
  async importText(text: string, name: string): Promise<ProblemFileReport> {
    const read = hasChecks(text) ? await readChecked(text, name) : await readReal(text, name);
    const bytes = new TextEncoder().encode(text);
    const id = await sha256(bytes);
    const known = await this.kept(id);
    if (known) return known.report;
    const report: ProblemFileReport = { sha256: id, name, createdAt: this.date(), bytes: bytes.length, ...read };
    await this.keep(id, { report, text });
    return report;
  }

  /** Null if it is not stored. */
  async file(id: string): Promise<ProblemText | null> {
    const kept = await this.kept(id);
    return kept ? { name: kept.report.name, text: kept.text } : null;
  }
}

type Read = Pick<ProblemFileReport, 'kind' | 'problems' | 'tests' | 'unused'>;

/** Whether a file's problems have checks of their own, as its first line shows. */
function hasChecks(text: string): boolean {
  const line = text.split('\n').find((one) => one.trim() !== '') ?? '';
  try {
    return Object.hasOwn(Object(parseJsonText(line)), 'checks');
  } catch {
    return false;
  }
}

async function readChecked(text: string, name: string): Promise<Read> {
  const { readCustomFile } = await import('../../environments/custom/problem-file.ts');
  const problems = readCustomFile(text, name);
  const tests = problems.reduce((sum, { checks }) => sum + checks.length, 0);
  return { kind: 'custom', problems: problems.length, tests, unused: 0 };
}

async function readReal(text: string, name: string): Promise<Read> {
  const { readProblemFile } = await import('../../environments/leetcode/problem-file.ts');
  const problems = readProblemFile(text, name);
  return {
    problems: problems.length,
    tests: problems.reduce((sum, { visible, held }) => sum + visible.length + held.length, 0),
    unused: problems.reduce((sum, { unused }) => sum + unused.length, 0),
  };
}
