// Data that runs train on besides the built-in problems: teacher pools, files of problems, and other people's data sets.
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
