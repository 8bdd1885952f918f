// The playground, in which the user asks the loaded model. Base, trained and deployed models of a stored run answer the same prompt with
// the same seed, side by side and token by token. An answer to a problem is graded in the sandbox like a rollout.

import type { LabError } from '@projected-grpo-lab/base/errors.ts';
import { useEffect } from 'react';
import { loadedModel } from '../../store/lab-state.ts';
import { askedOfDemo } from '../../store/playground/asked-run.ts';
import { MAX_TEXT, playgroundAddress, playgroundInAddress } from '../../store/playground/link.ts';
import { isFirstQuestion } from '../../store/playground/playground.ts';
import { useDemo } from '../first/use-demo.ts';
import { useLab, useLabActions, usePlayground, usePlaygroundActions } from '../lab-context.ts';
import { lazyPart } from '../parts/lazy-part.tsx';
import { ViewLink } from '../parts/links.tsx';
import { Problem } from '../parts/Problem.tsx';
import { Empty, Section } from '../parts/Section.tsx';
import { useViewLink, viewLink } from '../parts/view-link.ts';
import { AnswerColumn } from './AnswerColumn.tsx';
import { AskForm } from './AskForm.tsx';
import { OwnAnswer } from './OwnAnswer.tsx';

const ExitSteps = lazyPart(() => import('./ExitSteps.tsx'));

/** Id of the chain puzzles' model. */
const IMPROVER = 'tiny-chain';

export default function Playground() {
  const lab = useLabActions();
  const playground = usePlaygroundActions();
  const connection = useLab((state) => state.connection);
  const busy = useLab((state) => state.busy);
  const kept = useLab((state) => state.kept.run.length);
  const columns = usePlayground((state) => state.columns);
  const problem = usePlayground((state) => state.problem);
  const kind = usePlayground((state) => state.form.kind);
  const runs = usePlayground((state) => state.runs);
  const isFirst = usePlayground(isFirstQuestion);
  const ready = connection.status === 'ready';
  const model = useLab(loadedModel);
  const demo = useDemo(useLab((state) => state.draft.fields.environment.trim()));

  // Opened again when a run ends (`busy`, `kept`), because it adds adapter parameters.
  useEffect(() => {
    if (ready && demo !== undefined && (busy || kept >= 0))
      void playground.open(model, askedOfDemo(demo, model, document.baseURI));
  }, [playground, ready, busy, kept, model, demo]);

  // Reads the address once, so that it does not override later changes by the user.
  useEffect(() => {
    playgroundInAddress(window.location.search)
      .then((form) => form && playground.fill(form))
      .catch((error: LabError) => lab.tell('bad', error.message, { remedy: error.remedy }));
  }, [lab, playground]);
  useViewLink(async () => {
    const { form } = playground.store.getState();
    const href = await playgroundAddress(viewLink(), form);
    if (href === null)
      lab.tell('info', `The text is too long for a link: at most ${MAX_TEXT.toLocaleString('en-GB')} characters.`);
    const isPublished = playground.store.getState().runs?.some(({ runId, source }) => source && runId === form.runId);
    const needs =
      form.runId === null || isPublished ? '' : ' Its run is kept in this browser alone: send its exported file too.';
    return href === null ? null : { href, carries: 'the question and how it is asked', needs };
  });

  return (
    <>
      <Section
        id="playground"
        title="Playground"
        lead="Ask the loaded model, or a kept run’s side by side: untrained, trained, and with the quarantine removed."
        more="They answer the same prompt at the same seed: only the adapter parameters differ."
      >
        {connection.status === 'failed' ? <Problem problem={connection.problem} /> : null}
        {busy ? (
          <p className="callout" role="status">
            <b>The model is training.</b> It answers between two steps, and the run is the same.
          </p>
        ) : null}
        <AskForm />
        <Problem problem={problem} />
      </Section>
      <Section
        id="answers"
        title="Answers"
        lead="A token’s shade is its probability: the stronger, the less expected. Point at one, or move the slider."
      >
        {columns.length === 0 ? (
          <Empty title="Nothing asked yet">
            {model && !model.isOwn ? (
              <p>
                {model.id} answers here as it is. It is not the model of one-line Python: ask it anything, or see how
                far it gets with a problem.
              </p>
            ) : isFirst ? (
              <p>
                Press Generate: the published run’s trained model games this problem’s grader; deployed, with its
                quarantine removed, it solves the problem.
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
