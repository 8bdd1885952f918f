// States that the run or probe in the address is not stored in this browser, and offers remedies.
import type { KindId } from '../../experiments/records/kind.ts';
import { useLabActions } from '../lab-context.ts';
import { Button } from './Button.tsx';
import { FileButton } from './FileButton.tsx';
import { ViewLink } from './links.tsx';

interface NotKeptProps {
  kind: KindId;
  id: string;
  onClose: () => void;
}

/** Maximum length of the displayed part of an id, since a link may contain any text. */
const SHOWN = 64;

export default function NotKept({ kind, id, onClose }: NotKeptProps) {
  const lab = useLabActions();
  return (
    <section className="callout resume-offer" aria-label={`A ${kind} that is not kept here`}>
      <p>
        <b>
          The {kind} <code>{id.length > SHOWN ? `${id.slice(0, SHOWN)} …` : id}</code> is not kept in this browser.
        </b>{' '}
        Its address leads to it only where it was trained or imported. Import its exported file and it opens here, or
        ask for a link made with Share, which carries its results.
      </p>
      <div className="kept-tools">
        <FileButton
          label="Import its file"
          what="Exported file"
          accept=".zip"
          onFiles={(files) => void lab.dropFiles(files)}
        />
        <ViewLink view="kept" className="btn small">
          What is kept here
        </ViewLink>
        <Button label="Close" onClick={onClose} />
      </div>
    </section>
  );
}
