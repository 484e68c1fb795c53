/**
 * Which model plays each role, from flags, job spec and defaults. Knows roles and settings of models; must not know any
 * endpoint. Invariant: without an endpoint every role is played by the built-in model, and the settings say so.
 */
import type { ModelSettings, Role } from "../domain/dialogue.ts";
import type { JobSpec } from "../domain/job-spec.ts";
import { UsageError } from "../errors.ts";
import { type Flags, readText } from "./flags.ts";

/** The built-in model that answers without any endpoint. */
export const OFFLINE_MODEL = "offline-rules";
const DEFAULT_MODEL = "gpt-5-mini";

const ROLE_FLAGS = { task: "--model", reflection: "--reflection-model", judge: "--judge-model" } as const;

interface ModelSources {
	flags: Flags;
	spec: JobSpec | undefined;
	/** The file of the job spec, for origins. */
	jobName: string;
	offline: boolean;
	/** Gets the origin of each role as `models.<role>`. */
	origins: Record<string, string>;
}

/** @throws UsageError when a flag names a model that only an endpoint could serve, and there is none */
export function resolveModels(sources: ModelSources): Record<Role, ModelSettings> {
	const { flags, spec, offline } = sources;
	const named = {
		task: readText(ROLE_FLAGS.task, flags.model),
		reflection: readText(ROLE_FLAGS.reflection, flags.reflectionModel),
		judge: readText(ROLE_FLAGS.judge, flags.judgeModel),
	};
	if (offline) return offlineModels(named, sources.origins);
	const task = resolveRole("task", named.task, spec?.models?.task, { name: DEFAULT_MODEL }, "default", sources);
	return {
		task,
		reflection: resolveRole("reflection", named.reflection, spec?.models?.reflection, task, "as task", sources),
		judge: resolveRole("judge", named.judge, spec?.models?.judge, task, "as task", sources),
	};
}

function resolveRole(
	role: Role,
	flag: string | undefined,
	fromSpec: ModelSettings | undefined,
	fallback: ModelSettings,
	fallbackOrigin: string,
	{ origins, jobName }: ModelSources,
): ModelSettings {
	const base = fromSpec ?? fallback;
	origins[`models.${role}`] =
		flag !== undefined ? `flag ${ROLE_FLAGS[role]}` : fromSpec !== undefined ? jobName : fallbackOrigin;
	return flag === undefined || flag === base.name ? base : renamed(base, flag);
}

/** Settings stay with the role, but a price belongs to one model. */
function renamed({ price: _, ...settings }: ModelSettings, name: string): ModelSettings {
	return { ...settings, name };
}

function offlineModels(
	named: Record<Role, string | undefined>,
	origins: Record<string, string>,
): Record<Role, ModelSettings> {
	for (const role of ["task", "reflection", "judge"] as const) {
		const name = named[role];
		if (name !== undefined && name !== OFFLINE_MODEL) {
			throw new UsageError({
				message: `${ROLE_FLAGS[role]} names ${JSON.stringify(name)}, but no model endpoint is configured`,
				hint: "Set OPENAI_API_KEY, or name an endpoint with --base-url or OPENAI_BASE_URL.",
			});
		}
		origins[`models.${role}`] = "offline: no endpoint is configured";
	}
	const model = { name: OFFLINE_MODEL };
	return { task: model, reflection: model, judge: model };
}
