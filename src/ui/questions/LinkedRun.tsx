// An old link may name one run of a question, from the time when the page read row files. The page now reads only sheets, so it states
// which files contain the run's rows.
import { RowFiles } from './Origin.tsx';

/** `files`: the row files of the question; empty if the address names no question. */
export function LinkedRun({ run, files }: { run: string; files: readonly string[] }) {
  return (
    <div className="callout finding-origin" role="status">
      <p>
        This link names the run <code>{run}</code>. The page shows verdicts and figures; the rows of single runs are in{' '}
        {files.length > 0 ? 'these files, by the run’s id:' : 'the row files that each question names as its source.'}
      </p>
      {files.length > 0 ? <RowFiles files={files} /> : null}
    </div>
  );
}
