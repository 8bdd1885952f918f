// Files of problems that the user imported, real ones or with their own checks, under the sha-256 of their bytes, which a spec's
// environment names. Their parsers are loaded with the first file, so that the page opens without them.
import type { ProblemText } from '../../experiments/records/artifacts.ts';
import { sha256 } from '../../storage/sources.ts';
import type { ProblemFileReport } from '../protocol/problems.ts';
import { KeptReports } from './kept-reports.ts';

interface StoredProblems {
  report: ProblemFileReport;
  text: string;
}

export class ProblemStore extends KeptReports<StoredProblems> {
  /** An existing file keeps its name and date. Throws FormatError, naming the line, before anything is stored. */
  async importText(text: string, name: string): Promise<ProblemFileReport> {
    const { readProblems } = await import('./problem-reader.ts');
    const read = readProblems(text, name);
    const bytes = new TextEncoder().encode(text);
    const id = await sha256(bytes);
    const known = await this.kept(id);
    if (known) return known.report;
    const report: ProblemFileReport = { sha256: id, name, createdAt: this.date(), bytes: bytes.length, ...read };
    await this.keep(id, { report, text });
    return report;
  }

  /** Returns a stored file; null if it is missing. */
  async file(id: string): Promise<ProblemText | null> {
    const kept = await this.kept(id);
    return kept ? { name: kept.report.name, text: kept.text } : null;
  }
}
