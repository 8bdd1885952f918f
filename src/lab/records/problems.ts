// Files of real problems that a person brought, by the sha-256 of their bytes: what a spec's environment names them by. What reads them is
// loaded with the first one: the page opens without.
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
    const { readProblemFile } = await import('../../environments/leetcode/problem-file.ts');
    const problems = readProblemFile(text, name);
    const bytes = new TextEncoder().encode(text);
    const id = await sha256(bytes);
    const known = await this.kept(id);
    if (known) return known.report;
    const report: ProblemFileReport = {
      sha256: id,
      name,
      createdAt: this.date(),
      bytes: bytes.length,
      problems: problems.length,
      tests: problems.reduce((sum, { visible, held }) => sum + visible.length + held.length, 0),
      unused: problems.reduce((sum, { unused }) => sum + unused.length, 0),
    };
    await this.keep(id, { report, text });
    return report;
  }

  /** Null when it is not kept. */
  async file(id: string): Promise<ProblemText | null> {
    const kept = await this.kept(id);
    return kept ? { name: kept.report.name, text: kept.text } : null;
  }
}
