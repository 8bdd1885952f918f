// The origin of a question's figures and how to reproduce them: rows, commands, device, the section of the docs, and its runs in the lab.

import type { Opening } from '../../findings/opening.ts';
import type { ShownQuestion } from '../../findings/sheet.ts';
import { Fact } from '../parts/Fact.tsx';
import { DocLink } from '../parts/links.tsx';
import { LabLink } from './LabLink.tsx';

export function Origin({ question, docs }: { question: ShownQuestion; docs: string }) {
  const { id, files, commands, made, section, runs, runsNote } = question;
  const groups = [...new Set(runs.map(({ group }) => group))];
  return (
    <>
      <dl className="question-facts finding-origin" data-testid={`origin-${id}`}>
        {files.length > 0 ? (
          <Fact name="Rows">
            <RowFiles files={files} />
          </Fact>
        ) : null}
        {commands.length > 0 ? (
          <Fact name="Made by">
            <ul>
              {commands.map((command) => (
                <li key={command}>
                  <code>{command}</code>
                </li>
              ))}
            </ul>
          </Fact>
        ) : null}
        {files.length > 0 ? (
          <Fact name="Device">{made.length > 0 ? `Of the runs: ${made.join('. ')}.` : 'The rows do not name it.'}</Fact>
        ) : null}
        <Fact name="Docs">
          <DocLink path={docs} />, “{section}”
        </Fact>
      </dl>
      {runs.length > 0 ? (
        <section className="question-runs" aria-label={`Runs of ${id}`}>
          <h3>Open in the lab</h3>
          <p className="muted">
            {runsNote ? `${runsNote} ` : ''}
            Sets the form to a run’s settings and seed, from where it can be run here
            {made.length > 0 ? ' and compared with what was published' : ''}.
          </p>
          <ul>
            {groups.map((group) => (
              <Group key={group} group={group} runs={runs.filter((run) => run.group === group)} />
            ))}
          </ul>
        </section>
      ) : null}
    </>
  );
}

/** Links that download row files; the page itself reads none of them. */
export function RowFiles({ files }: { files: readonly string[] }) {
  return (
    <ul>
      {files.map((file) => (
        <li key={file}>
          <a href={new URL(`results/${file}`, document.baseURI).href} download>
            public/results/{file}
          </a>
        </li>
      ))}
    </ul>
  );
}

function Group({ group, runs }: { group: string; runs: readonly Opening[] }) {
  return (
    <li>
      <p>
        <b>{group}</b>
      </p>
      <div className="question-seeds">
        {runs.map(({ name, hash }) => (
          <LabLink key={name} className="btn small num" hash={hash} label={`Open ${group}, ${name}, in the lab`}>
            {name}
          </LabLink>
        ))}
      </div>
    </li>
  );
}
