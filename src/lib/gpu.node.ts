// WebGPU in Node: Dawn through the npm package `webgpu`. Dawn needs a Vulkan loader and a driver, which are searched
// here: real hardware first, otherwise SwiftShader (a software driver that comes with Chromium).
//
// The code relies on three facts:
// - Dawn crashes when its objects are garbage-collected, so they are kept on globalThis until the process ends.
// - Dawn opens `libvulkan.so.1` by its bare name, and LD_LIBRARY_PATH is read only when a process starts. But glibc
//   answers a bare name with a library that is already loaded, so the loader is opened here by its full path first.
// - The Vulkan loader reads VK_DRIVER_FILES by getenv when Dawn starts it, which sees changes of process.env (on the
//   main thread only), and finds a driver's library relative to its manifest.
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { DeviceError } from '@projected-grpo-lab/base/errors.ts';
import { pauseDawn } from './dawn-polls.node.ts';
import { requestAdapter } from './gpu-answer.ts';

const REMEDY =
  'Install a Vulkan driver for your GPU, or Chromium for its software driver (Debian: apt install chromium; elsewhere: npx playwright install chromium), or use the CPU device.';
const LOADER = 'libvulkan.so.1';
const SOFTWARE_MANIFEST = 'vk_swiftshader_icd.json';

const keep = globalThis as typeof globalThis & { __labDawn?: { opening: Promise<GPU> | undefined; held: unknown[] } };
keep.__labDawn ??= { opening: undefined, held: [] };
const dawn = keep.__labDawn;

/** Folders of Chromium builds that may include SwiftShader and a Vulkan loader. */
function chromiumFolders(): string[] {
  const folders = [
    '/usr/lib/chromium',
    '/usr/lib/chromium-browser',
    '/usr/lib64/chromium-browser',
    '/opt/google/chrome',
    '/opt/chromium.org/chromium',
    '/snap/chromium/current/usr/lib/chromium-browser',
  ];
  const browsers = process.env.PLAYWRIGHT_BROWSERS_PATH;
  for (const cache of [browsers, join(homedir(), '.cache', 'ms-playwright')]) {
    if (!cache || !existsSync(cache)) continue;
    const builds = readdirSync(cache).filter((name) => name.startsWith('chromium'));
    // Newest first; names sort correctly because build numbers have the same number of digits.
    for (const build of builds.sort().reverse()) {
      for (const inner of ['chrome-linux64', 'chrome-linux', 'chrome-headless-shell-linux64']) {
        folders.push(join(cache, build, inner));
      }
    }
  }
  return folders.filter((folder) => existsSync(folder));
}

/** Manifests of real drivers, from the folders that the Vulkan loader searches and those that containers mount. */
function hardwareManifests(): string[] {
  const data = process.env.XDG_DATA_DIRS?.split(delimiter) ?? ['/usr/local/share', '/usr/share'];
  const roots = ['/etc', ...data, join(homedir(), '.local', 'share'), '/usr/local/nvidia/share'];
  const found: string[] = [];
  for (const root of roots) {
    const folder = join(root, 'vulkan', 'icd.d');
    if (!existsSync(folder)) continue;
    for (const name of readdirSync(folder)) {
      // lvp is Mesa's software driver: too old for Dawn in many distributions, and no faster than SwiftShader.
      if (name.endsWith('.json') && !/lvp|lavapipe|swiftshader|mock/.test(name)) found.push(join(folder, name));
    }
  }
  return found;
}

/** Loads a library permanently; returns whether it exists. */
function preload(library: string): boolean {
  const RTLD_NOW = 2;
  const RTLD_NODELETE = 0x1000;
  try {
    process.dlopen({ exports: {} }, library, RTLD_NOW | RTLD_NODELETE);
    return true;
  } catch (error) {
    // Node opens the library before it complains that it is not a Node addon.
    return error instanceof Error && error.message.includes('did not self-register');
  }
}

/** Makes `libvulkan.so.1` available to Dawn, from the system or from a Chromium. */
function ensureLoader(): boolean {
  if (preload(LOADER)) return true;
  return chromiumFolders().some((folder) => existsSync(join(folder, LOADER)) && preload(join(folder, LOADER)));
}

/** Chromium's SwiftShader: its manifest names the library relative to itself, which the loader resolves. */
function softwareManifest(): string | undefined {
  return chromiumFolders()
    .map((folder) => join(folder, SOFTWARE_MANIFEST))
    .find((manifest) => existsSync(manifest));
}

/** Starts Dawn with the current environment; undefined if it offers no adapter. */
async function tryDawn(switches: readonly string[]): Promise<GPU | undefined> {
  const { create } = await import('webgpu');
  const gpu = create(switches.length > 0 ? [`enable-dawn-features=${switches.join(',')}`] : []);
  const adapter = await requestAdapter(gpu, { powerPreference: 'high-performance' });
  dawn.held.push(gpu, adapter);
  return adapter ? holding(gpu) : undefined;
}

/** The same GPU, with references to all its adapters and devices kept until the process ends. */
function holding(gpu: GPU): GPU {
  const { held } = dawn;
  const ask = gpu.requestAdapter.bind(gpu);
  gpu.requestAdapter = async (options) => {
    const adapter = await ask(options);
    if (!adapter) return null;
    held.push(adapter);
    const requestDevice = adapter.requestDevice.bind(adapter);
    adapter.requestDevice = async (descriptor) => {
      const device = await requestDevice(descriptor);
      held.push(device);
      return device;
    };
    return adapter;
  };
  return gpu;
}

/**
 * Node's `navigator.gpu`, opened once per process. The process must be ended explicitly, since Dawn keeps it alive.
 * Respects VK_DRIVER_FILES and VK_ICD_FILENAMES. Throws DeviceError if there is no driver.
 *
 * @param switches Dawn toggles to enable; those of the first call apply to the whole process
 */
export function openNodeGpu(switches: readonly string[] = []): Promise<GPU> {
  dawn.opening ??= open(switches).catch((error: unknown) => {
    dawn.opening = undefined; // The environment may change before another attempt.
    throw error;
  });
  return dawn.opening;
}

async function open(switches: readonly string[]): Promise<GPU> {
  const set = process.env.VK_DRIVER_FILES ?? process.env.VK_ICD_FILENAMES;
  if (process.platform !== 'linux') {
    const gpu = await tryDawn(switches);
    if (gpu) return gpu;
    throw new DeviceError('Dawn found no WebGPU adapter on this machine', REMEDY);
  }
  if (!ensureLoader()) throw new DeviceError(`there is no Vulkan loader (${LOADER}) on this machine`, REMEDY);
  if (set !== undefined) {
    const gpu = await tryDawn(switches);
    if (gpu) return gpu;
    throw new DeviceError(
      `the Vulkan driver named by the environment (${set}) offers no adapter`,
      `Unset it. ${REMEDY}`,
    );
  }
  const software = softwareManifest();
  for (const files of [hardwareManifests().join(delimiter), software]) {
    if (!files) continue;
    process.env.VK_DRIVER_FILES = files;
    const gpu = await tryDawn(switches);
    delete process.env.VK_DRIVER_FILES; // Dawn has read it, and child processes must not inherit it.
    if (!gpu) continue;
    if (files === software) pauseDawn();
    return gpu;
  }
  throw new DeviceError('neither a Vulkan driver nor a Chromium with SwiftShader was found', REMEDY);
}
