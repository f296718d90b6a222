// What a suite of policy tests says, whatever the dialect that it is written in.

import type { Json } from '../../api/core/json.ts';
import type { Manifest } from '../../component/manifests.ts';
import type { Operation } from '../requests.ts';
import type { SuiteFact } from './facts.ts';

/** How a text is to be: the same, or with something in it. */
export type TextMatch = { exact: string } | { contains: string } | { matches: RegExp };

/** What the answer to a case must be. A member that is missing is not looked at. */
export type Expectation = {
  verdict?: 'allowed' | 'denied' | undefined;
  /** The code of a refusal. */
  code?: number | undefined;
  message?: TextMatch | undefined;
  /** All warnings, in order. */
  warnings?: readonly TextMatch[] | undefined;
  /** Are there warnings, whatever they say? */
  warned?: boolean | undefined;
  /** Does admission change the object? */
  changed?: boolean | undefined;
  /** The whole resulting object, and the file that it comes from. */
  object?: { value: Json; file: string | undefined } | undefined;
  /** Parts of the resulting object. */
  contains?: Json | undefined;
  /** Descriptions of which none may fit the resulting object. */
  lacks?: readonly Json[] | undefined;
  /** All effects in order, each described in part. */
  effects?: readonly Json[] | undefined;
  /** Parts of the explanation. */
  explanation?: readonly Json[] | undefined;
};

export type SuiteCase = {
  name: string;
  /** Where the case and its expectations stand. */
  manifest: Manifest;
  /** The path of the expectations in the manifest. */
  expectPath: string;
  /** What is reviewed: all that `sluice review -f` takes, one document. */
  input: Manifest;
  operation: Operation;
  path: string | undefined;
  namespace: string | undefined;
  nowMs: number;
  /** `A=true,B=false`. */
  featureGates: string;
  systemNamespace: string;
  /** The cluster; of equal objects the last counts. */
  objects: readonly Manifest[];
  /** What the cluster answers instead; the first that fits counts. */
  facts: readonly SuiteFact[];
  /** Goes on with the cluster as the case before left it. */
  continues: boolean;
  /** Why the case is not run. */
  skip: string | undefined;
  expect: Expectation;
};

export type Suite = {
  name: string;
  file: string;
  dialect: 'PolicyTest' | 'Kyverno' | 'Gatekeeper';
  cases: readonly SuiteCase[];
};

/** The time of cases that name none: tests must not depend on the clock. */
export const DEFAULT_NOW_MS = Date.parse('2026-01-01T00:00:00Z');
export const DEFAULT_SYSTEM_NAMESPACE = 'kruise-system';
