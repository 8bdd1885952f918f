// Data for training besides the built-in problems: teacher pools, files of problems, and third-party data sets.
import Pools from './keep/Pools.tsx';
import DataSets from './problems/DataSets.tsx';
import ProblemFiles from './problems/ProblemFiles.tsx';

export default function Data() {
  return (
    <>
      <Pools />
      <ProblemFiles />
      <DataSets />
    </>
  );
}
