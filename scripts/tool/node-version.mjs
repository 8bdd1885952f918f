// Checks Node's version. Every script imports this first, before anything that an old Node could not even parse.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    `projected-grpo-lab needs Node 20.19 or newer; this is Node ${process.versions.node}. Get a current one from https://nodejs.org.`,
  );
  process.exit(1);
}
