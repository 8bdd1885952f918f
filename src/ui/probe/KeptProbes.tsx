// Probes kept in this browser, and those that come as files. The same rows stand in the list of runs.
import { ProbeRow } from '../keep/kinds/ProbeRow.tsx';
import { useLab, useLabActions } from '../lab-context.ts';
import { FileButton } from '../parts/FileButton.tsx';
import { Empty, Section } from '../parts/Section.tsx';

export function KeptProbes() {
  const lab = useLabActions();
  const kept = useLab((state) => state.kept.probe);
  return (
    <Section
      id="probe-kept"
      title="Kept probes"
      lead="Every step is kept when it is done; the probe is among the kept runs too. An exported probe holds its report and a step_NNN.jsonl.gz for each step, one row a sample."
      actions={
        <FileButton
          label="Import a probe"
          what="Probe file"
          accept=".zip"
          onFiles={(files) => void lab.dropFiles(files)}
        />
      }
    >
      {kept.length === 0 ? (
        <Empty title="No probe kept yet">
          <p>
            Seven checks: T1 the teacher hacks, T2 the cosines are there, T3 projection removes what it claims, T4 V
            tells hacks from hacks that solve, T5 and T6 the same claims against training, T7 the GRPO-contrastive
            basis. Run the probe above, or drop an exported one on the page.
          </p>
        </Empty>
      ) : (
        <ul className="kept" aria-label="Kept probes">
          {kept.map((record) => (
            <ProbeRow key={record.id} entry={record} />
          ))}
        </ul>
      )}
    </Section>
  );
}
