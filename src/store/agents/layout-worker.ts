// The worker that lays graphs out: it answers each request with a layout, in the same order.
import { type LayoutRequest, layOutGraph } from './graph-layout.ts';

self.onmessage = ({ data }: MessageEvent<LayoutRequest>) => self.postMessage(layOutGraph(data));
