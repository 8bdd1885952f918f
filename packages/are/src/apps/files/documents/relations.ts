// What the parts of an Office file call each other: ids to paths within the archive.
import type { Work } from './work.ts';
import { piecesOf } from './xml.ts';
import type { Zip } from './zip.ts';

/** @param part `ppt/presentation.xml`: what it calls others is in `ppt/_rels/presentation.xml.rels` */
export function relationsOf(zip: Zip, part: string, work: Work): Map<string, string> {
  const slash = part.lastIndexOf('/');
  const [folder, name] = [part.slice(0, slash), part.slice(slash + 1)];
  const found = new Map<string, string>();
  for (const piece of piecesOf(zip.readText(`${folder}/_rels/${name}.rels`) ?? '', work)) {
    if (piece.kind !== 'open' || piece.name !== 'Relationship') continue;
    const target = piece.attributes.get('Target') ?? '';
    found.set(piece.attributes.get('Id') ?? '', target.startsWith('/') ? target.slice(1) : joined(folder, target));
  }
  return found;
}

function joined(folder: string, target: string): string {
  const parts = folder.split('/');
  for (const part of target.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
}
