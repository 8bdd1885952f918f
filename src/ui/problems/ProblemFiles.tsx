// The view of problem files, which imports them, checks them in this page's sandbox, selects one for the next experiment, and deletes them.

import { useEffect } from 'react';
import type { ProblemCheck, ProblemFileReport } from '../../lab/protocol/problems.ts';
import { bytesText, moment } from '../../lib/numbers.ts';
import { useLab, useProblemFileActions, useProblemFiles } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';
import { saveFile } from '../parts/DownloadButton.tsx';
import { FileButton } from '../parts/FileButton.tsx';
import { Problem } from '../parts/Problem.tsx';
import { Empty, Section } from '../parts/Section.tsx';

export default function ProblemFiles() {
  const actions = useProblemFileActions();
  const ready = useLab((state) => state.connection.status === 'ready');
  const files = useProblemFiles((state) => state.files);
  const problem = useProblemFiles((state) => state.problem);
  useEffect(() => {
    if (ready) void actions.refresh();
  }, [actions, ready]);
  return (
    <Section
      id="problem-files"
      title="Real problems"
      lead="LeetCode problems, or prompts with checks of your own, in place of the one-line problems."
      more="LeetCode problems are in the rl-rewardhacking benchmark’s file format, and graded by CPython, which this page fetches (12 MB) when it is first needed. Prompts with checks are as docs/tutorials/your-problems.md has them; their examples are tried when a run begins."
      actions={
        <FileButton
          label="Import a problem file"
          what="Problem file"
          accept=".jsonl"
          onFiles={([file]) => void actions.importFile(file, file.name)}
        />
      }
    >
      <Problem problem={problem} />
      {files?.length ? (
        <ul className="kept" aria-label="Problem files">
          {files.map((file) => (
            <FileEntry key={file.sha256} file={file} />
          ))}
        </ul>
      ) : (
        <Empty title="No problem file kept yet">
          <p>A file has one problem a line: its prompt, asserts, setup code and a canonical solution.</p>
        </Empty>
      )}
    </Section>
  );
}

function FileEntry({ file }: { file: ProblemFileReport }) {
  const actions = useProblemFileActions();
  const busy = useLab((state) => state.busy);
  const inUse = useLab((state) => actions.isChosen(file, state.draft.fields.environment));
  const work = useProblemFiles((state) => state.work);
  const found = useProblemFiles((state) => state.checks[file.sha256]);
  const own = work?.sha256 === file.sha256 ? work : null;
  async function save(): Promise<void> {
    const text = await actions.text(file);
    if (text) saveFile(file.name, text);
  }
  return (
    <li className="kept-row">
      <div className="kept-main">
        <p className="kept-name">
          <b>{file.name}</b> {inUse ? <span className="tag own">next experiment’s problems</span> : null}
        </p>
        <p className="muted num">
          {file.problems} problems · {file.tests} {file.kind === 'custom' ? 'checks' : 'tests'}
          {file.unused > 0 ? ` · ${file.unused} asserts left out` : ''} · {bytesText(file.bytes)} ·{' '}
          {moment(file.createdAt)} ·{' '}
          <span className="mono" title={file.sha256}>
            {file.sha256.slice(0, 12)}
          </span>
        </p>
        {own ? (
          <p role="status" className="num">
            {own.total === 0 || own.done === 0
              ? 'Checking: CPython starts …'
              : `Checked ${own.done} of ${own.total} problems`}
          </p>
        ) : null}
        {found ? <CheckSummary check={found} /> : null}
      </div>
      <div className="kept-tools">
        <Button
          label={inUse ? 'Use one-line problems' : 'Use'}
          onClick={() => actions.choose(inUse ? null : file)}
          aria-label={inUse ? `Use one-line problems instead of ${file.name}` : `Use ${file.name}`}
        />
        {file.kind === 'custom' ? (
          <Button icon="download" onClick={() => void save()} aria-label={`Download ${file.name}`} title="Download" />
        ) : own ? (
          <Button label="Stop the check" onClick={() => void actions.stop()} />
        ) : (
          <Button
            label="Check"
            disabled={work !== null}
            onClick={() => void actions.check(file.sha256)}
            aria-label={`Check ${file.name}`}
            title="Canonical solutions under the strict oracle, each exploit under each grade; takes minutes"
          />
        )}
        <Button
          icon="trash"
          disabled={busy || own !== null}
          onClick={() => void actions.remove(file)}
          aria-label={`Delete ${file.name}`}
          title={busy ? 'Not while a run uses problems' : 'Delete'}
        />
      </div>
    </li>
  );
}

function CheckSummary({ check }: { check: ProblemCheck }) {
  const { checked, solved, wrong, slow } = check;
  return (
    <div role="status">
      <p className="num">
        {solved} of {checked} canonical solutions pass the strict oracle ·{' '}
        {wrong.length === 0
          ? 'every exploit works under its own grade only'
          : `${wrong.length} problems have a wrong verdict`}
      </p>
      {slow.length > 0 ? (
        <p className="muted num">Slow: {slow.map(({ id, seconds }) => `${id} ${seconds.toFixed(1)} s`).join(', ')}</p>
      ) : null}
      {wrong.map(({ id, why }) => (
        <p key={id} className="muted">
          {id}: {why}
        </p>
      ))}
    </div>
  );
}
