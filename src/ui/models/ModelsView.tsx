// The Models view: the loaded model, a model to load (with its requirements, before it is loaded), and the stored models.

import { useEffect } from 'react';
import { useLab, useModelActions, useModels } from '../lab-context.ts';
import { Problem } from '../parts/Problem.tsx';
import { Section } from '../parts/Section.tsx';
import { ChosenCard } from './ChosenCard.tsx';
import { KeptFactors, KeptModels } from './KeptModels.tsx';
import { LoadedCard } from './LoadedCard.tsx';
import { SourcePicker } from './SourcePicker.tsx';
import { WorkBar } from './WorkBar.tsx';
import './models.css';

export default function ModelsView() {
  const models = useModelActions();
  const connection = useLab((state) => state.connection);
  const busy = useLab((state) => state.busy);
  const problem = useModels((state) => state.problem);
  const ready = connection.status === 'ready';

  useEffect(() => {
    if (ready) void models.refresh();
  }, [models, ready]);

  return (
    <>
      <Section
        id="model"
        title="Model"
        lead="The student: it answers in the playground, and the next experiment trains it."
        more="Runs, bases and pools belong to the model that they were made with."
      >
        {connection.status === 'failed' ? <Problem problem={connection.problem} /> : null}
        <LoadedCard />
      </Section>
      <Section
        id="load"
        title="Load another"
        lead="Qwen3, Qwen2 and Llama weights in Hugging Face’s layout. Files are read where they lie and stay in this tab."
        more="A folder with config.json, safetensors and a tokenizer."
      >
        {busy ? (
          <p className="callout" role="status">
            <b>An experiment is running.</b> You can look at another model and fetch it now, and load it when the
            experiment has ended.
          </p>
        ) : null}
        <SourcePicker />
        <ChosenCard />
        <WorkBar />
        {problem ? (
          <p className="callout bad model-problem" role="alert">
            <b>{problem.message}</b> {problem.remedy}
          </p>
        ) : null}
      </Section>
      <Section
        id="kept-models"
        title="Kept models"
        lead="In this browser’s own file system, for this page alone. An interrupted download continues where it stopped."
      >
        <KeptModels />
        <KeptFactors />
      </Section>
    </>
  );
}
