// The playground, where the loaded model answers the user. Base, trained and deployed models of a kept run answer the same prompt
// at the same seed, side by side and token by token; an answer to a problem is graded in the sandbox as a rollout is.

import { useEffect } from 'react';
import { loadedModel } from '../../store/lab-state.ts';
import { useLab, usePlayground, usePlaygroundActions } from '../lab-context.ts';
import { late } from '../parts/late.tsx';
import { ViewLink } from '../parts/links.tsx';
import { Problem } from '../parts/Problem.tsx';
import { Empty, Section } from '../parts/Section.tsx';
import { AnswerColumn } from './AnswerColumn.tsx';
import { AskForm } from './AskForm.tsx';
import { OwnAnswer } from './OwnAnswer.tsx';

const ExitSteps = late(() => import('./ExitSteps.tsx'));

/** Id of the chain puzzles' model. */
const IMPROVER = 'tiny-chain';

export default function Playground() {
  const playground = usePlaygroundActions();
  const connection = useLab((state) => state.connection);
  const busy = useLab((state) => state.busy);
  const kept = useLab((state) => state.kept.run.length);
  const columns = usePlayground((state) => state.columns);
  const problem = usePlayground((state) => state.problem);
  const kind = usePlayground((state) => state.form.kind);
  const runs = usePlayground((state) => state.runs);
  const ready = connection.status === 'ready';
  const model = useLab(loadedModel);

  // Opened again when a run ends, because it adds adapter parameters.
  useEffect(() => {
    if (ready && !busy && kept >= 0) void playground.open(model);
  }, [playground, ready, busy, kept, model]);

  return (
    <>
      <Section
        id="playground"
        title="Playground"
        lead="Ask the loaded model directly, or base, trained and deployed of a kept run side by side."
        more="They answer the same prompt at the same seed: only the adapter parameters differ."
      >
        {connection.status === 'failed' ? <Problem problem={connection.problem} /> : null}
        {busy ? (
          <p className="callout" role="status">
            <b>The model is training.</b> It can answer when the experiment has ended or is stopped.
          </p>
        ) : null}
        <AskForm />
        <Problem problem={problem} />
      </Section>
      <Section
        id="answers"
        title="Answers"
        lead="A token’s shade is its probability: the darker, the less expected. Point at one, or move the slider."
      >
        {columns.length === 0 ? (
          <Empty title="Nothing asked yet">
            {model && !model.isOwn ? (
              <p>
                {model.id} answers here as it is. It is not the model of one-line Python: ask it anything, or see how
                far it gets with a problem.
              </p>
            ) : (
              <p>
                Choose a problem and press Generate. The hint in its prompt tells how the grader can be fooled: the base
                rarely follows it, a model trained by plain GRPO learns to.
              </p>
            )}
            {runs?.length === 0 ? (
              <p>
                No run is kept yet, so only the base can answer. <ViewLink view="lab">Run one in the lab</ViewLink>, and
                its trained and deployed models appear here.
              </p>
            ) : null}
          </Empty>
        ) : (
          <div className="play-columns">
            {columns.map((column) => (
              <AnswerColumn key={column.model} column={column} />
            ))}
          </div>
        )}
      </Section>
      {kind === 'problem' ? <OwnAnswer /> : null}
      {model?.id === IMPROVER ? <ExitSteps /> : null}
    </>
  );
}
