// Two or three published rollouts to read: the prompt, the answer with its exploit marked, its reward, and the truth. If the environment
// has a story, it comes first.
import { useEffect, useState } from 'react';
import type { DemoSample } from '../../experiments/analysis/demo-samples.ts';
import { rolloutPresentationOf } from '../../experiments/environments/registry.ts';
import { Code } from '../inspect/rollouts/Code.tsx';
import { useLabActions } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';
import { OutcomeTag, outcomeIn } from '../parts/OutcomeTag.tsx';
import { Prompt } from '../parts/Prompt.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { StoryView } from './StoryView.tsx';

export default function Samples({ environment }: { environment: string }) {
  const published = useLabActions().published(document.baseURI);
  const file = useLoaded(() => published.samples(environment), environment);
  const story = useLoaded(() => published.story(environment), environment);
  const [at, setAt] = useState(0);
  // Another environment starts at its first sample.
  // biome-ignore lint/correctness/useExhaustiveDependencies: resets when another environment is chosen
  useEffect(() => setAt(0), [environment]);
  // Nothing is shown until both are loaded, so that nothing moves while the user reads.
  if (!file || story === undefined) return null;
  const rolloutPresentation = rolloutPresentationOf(environment);
  const [{ words: ofSamples } = { words: 'Read some' }] = rolloutPresentation.worthReading.filter(
    ({ verdict }) => verdict === file.verdict,
  );
  const shown = [...(story ? [story] : []), ...file.samples];
  const { length } = shown;
  const own = shown[at % length];
  const words = 'parts' in own ? own.words : ofSamples;
  return (
    <section className="samples" id="samples" aria-label={words}>
      <div className="samples-head">
        <h3 data-goal tabIndex={-1}>
          {words}
        </h3>
        {length > 1 ? (
          <>
            <span className="muted note num" role="status">
              {(at % length) + 1} of {length}
            </span>
            <Button onClick={() => setAt((at + 1) % length)}>
              Next<span className="sr"> rollout to read</span>
            </Button>
          </>
        ) : null}
      </div>
      {'parts' in own ? (
        <StoryView story={own} />
      ) : (
        <>
          <p className="muted note">
            Step {file.step}, seed {file.seed}, as written and graded.
          </p>
          <Sample sample={own} environment={environment} />
        </>
      )}
    </section>
  );
}

function Sample({ sample, environment }: { sample: DemoSample; environment: string }) {
  const { verdict, turns, kind } = sample;
  const rolloutPresentation = rolloutPresentationOf(environment);
  const { id, mark, tone } = outcomeIn(rolloutPresentation, sample);
  const { paid, truth } = rolloutPresentation.plainly(verdict, kind);
  const compared = rolloutPresentation.comparedWith(verdict);
  return (
    <article className={`answer ${tone}`}>
      <p className="answer-head">
        <OutcomeTag {...{ mark, tone }}>{id}</OutcomeTag>
        <span className="muted note">reward {sample.reward.toFixed(2)}</span>
      </p>
      <div className="sample-text">
        {turns.map(({ prompt, completion }, turn) => {
          const key = `turn ${turn}`;
          return (
            <div key={key}>
              <Prompt prompt={prompt} hint={turn === 0 ? rolloutPresentation.hint(kind) : null} isPlain />
              <Gloss of={rolloutPresentation.gloss(prompt)} />
              <Code
                completion={completion}
                python={rolloutPresentation.text === 'python'}
                exploit={rolloutPresentation.exploit(verdict)}
                tokens={null}
              />
              <Gloss of={rolloutPresentation.gloss(completion)} />
            </div>
          );
        })}
        {compared ? (
          <p className="sample-compared">
            {compared.title}: <code>{compared.text}</code>
          </p>
        ) : null}
      </div>
      <p className="sample-said">
        {paid} <b>{truth}</b>
      </p>
    </article>
  );
}

/** The lab's own translation of an answer, which no model wrote. */
const Gloss = ({ of }: { of: string | null }) =>
  of === null ? null : <p className="sample-gloss">Our English: {of}</p>;
