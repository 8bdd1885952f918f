// A document of the project, by its name in the repository: the build has it as a page (scripts/tool/docs-pages.mjs).
export function DocLink({ path }: { path: string }) {
  return (
    <a href={`./${path.replace(/\.md$/, '.html')}`} target="_blank" rel="noreferrer">
      {path}
    </a>
  );
}
