// Loads the evaluator that decides, or another one that a test names.

import type { Evaluator, EvaluatorLoader, EvaluatorOptions } from './evaluation.ts';

/** `module`, if given, is the URL of a module that exports an EvaluatorLoader called `loadEvaluator`. */
export async function loadEvaluator(options: EvaluatorOptions, module?: string): Promise<Evaluator> {
  if (module !== undefined) {
    const { loadEvaluator: load } = (await import(module)) as { loadEvaluator: EvaluatorLoader };
    return load(options);
  }
  if (options.live !== undefined) {
    const { LiveWebhooks } = await import('../evaluator/live-webhooks.ts');
    const evaluator = await LiveWebhooks.load(options, options.live);
    if (options.widening === undefined) return evaluator;
    const { acknowledging } = await import('./scope/acknowledging.ts');
    return acknowledging(evaluator, options.widening);
  }
  const { Webhooks } = await import('../evaluator/webhooks.ts');
  return Webhooks.load(options);
}
