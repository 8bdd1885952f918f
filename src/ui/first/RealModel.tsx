// Shown if the chosen question needs a real model while an embedded one is loaded: the model's name and size, and a button that fetches and
// loads it. Loaded when such a question is chosen.
import { useEffect } from 'react';
import { bytesText } from '../../lib/numbers.ts';
import { SMALL_MODEL, SMALL_MODEL_FETCHED } from '../../storage/models/small-facts.ts';
import { useLab, useModelActions, useModels } from '../lab-context.ts';
import { WorkBar } from '../models/WorkBar.tsx';
import { Button } from '../parts/Button.tsx';

export default function RealModel() {
  const models = useModelActions();
  const isReady = useLab((state) => state.connection.status === 'ready' && !state.busy);
  const isAtWork = useModels((state) => state.work !== null);
  const problem = useModels((state) => state.problem);
  const isKept = useModels(
    (state) => state.kept?.some(({ id, complete }) => id === SMALL_MODEL.id && complete) ?? false,
  );
  useEffect(() => {
    void models.refresh();
  }, [models]);
  const { title, licence } = SMALL_MODEL;
  return (
    <section className="callout real-model" aria-label="A real model">
      <p>
        <b>This question needs a real model.</b> {title} is one that runs here: 26 M parameters, {licence}, trained
        elsewhere{isKept ? ', kept in this browser.' : `, ${bytesText(SMALL_MODEL_FETCHED)} to fetch.`}{' '}
        <span>Any other chat model with Qwen’s markup will do: load it under Models.</span>
      </p>
      {problem ? (
        <p role="alert">
          {problem.message} {problem.remedy}
        </p>
      ) : null}
      {isAtWork ? (
        <WorkBar />
      ) : (
        <Button
          icon={isKept ? 'play' : 'download'}
          label={`${isKept ? 'Load' : 'Fetch and load'} ${title}`}
          isLarge
          tone="primary"
          disabled={!isReady}
          onClick={() => void models.openSmall()}
        />
      )}
    </section>
  );
}
