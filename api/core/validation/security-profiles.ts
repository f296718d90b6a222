// What the security contexts of pods and containers have in common: seccomp and AppArmor profiles, Windows options, ids.
import type { AppArmorProfile, SeccompProfile, WindowsSecurityContextOptions } from '../containers.ts';
import type { Int64 } from '../json.ts';
import type { Field } from './field.ts';
import { dnsSubdomain, exceeds } from './names.ts';
import { descendingPath } from './paths.ts';
import { wording } from './wording.ts';

const PROFILE_TYPES = ['Localhost', 'RuntimeDefault', 'Unconfined'];
const PROFILE_BYTES = 4095;
const CREDENTIAL_SPEC_BYTES = 64 * 1024;
const DOMAIN_CHARACTERS = 256;
const USER_CHARACTERS = 104;
const GREATEST_ID = 2147483647;

/** A user or group id. */
export function validateId(id: Field<Int64 | undefined>): void {
  id.between(0, GREATEST_ID);
}

/** The type of a seccomp profile, and the file that goes with `Localhost`. */
export function validateSeccompProfile(profile: Field<SeccompProfile | undefined>): void {
  if (!profile.isSet) return;
  const { type = '' } = profile.value ?? {};
  const file = profile.at('localhostProfile');
  if (profile.at('type').require(wording.profileTypeRequired('seccompProfile')))
    profile.at('type').among(PROFILE_TYPES);
  if (type === 'Localhost') {
    if (file.value === undefined) file.required(wording.localhostProfileRequired('seccomp'));
    else file.follow(descendingPath);
  } else if (file.value !== undefined) {
    file.invalid(wording.localhostProfileForbidden('seccomp'), profile.value);
  }
}

/** The type of an AppArmor profile, and the name that goes with `Localhost`. */
export function validateAppArmorProfile(profile: Field<AppArmorProfile | undefined>): void {
  if (!profile.isSet) return;
  const type = profile.at('type');
  const name = profile.at('localhostProfile');
  if (!type.require(wording.profileTypeRequired('appArmorProfile')) || !type.among(PROFILE_TYPES)) return;
  if (type.value !== 'Localhost') {
    if (name.value !== undefined) name.invalid(wording.localhostProfileForbidden('AppArmor'));
    return;
  }
  if (name.value === undefined) {
    name.required(wording.localhostProfileRequired('AppArmor'));
    return;
  }
  if (name.value !== name.value.trim()) name.invalid(wording.profilePadded);
  else if (name.value === '') name.required(wording.localhostProfileRequired('AppArmor'));
  if (exceeds(name.value, PROFILE_BYTES)) name.tooLong(PROFILE_BYTES);
}

/** Windows options: credential specs and the user name. */
export function validateWindowsOptions(options: Field<WindowsSecurityContextOptions | undefined>): void {
  if (!options.isSet) return;
  const specName = options.at('gmsaCredentialSpecName');
  const spec = options.at('gmsaCredentialSpec');
  const user = options.at('runAsUserName');
  if (specName.value !== undefined) specName.follow(dnsSubdomain);
  if (spec.value === '') spec.invalid(wording.credentialSpecEmpty);
  else if (exceeds(spec.value ?? '', CREDENTIAL_SPEC_BYTES)) {
    spec.invalid(wording.credentialSpecTooLarge(CREDENTIAL_SPEC_BYTES));
  }
  if (user.value !== undefined) user.follow(windowsUserName);
}

// `user`, or `DOMAIN\user` with a NetBIOS or DNS domain.
function windowsUserName(name: string): readonly string[] {
  if (name === '') return [wording.userNameEmpty];
  if (/\p{Cc}/u.test(name)) return [wording.userNameControl];
  const parts = name.split('\\');
  if (parts.length > 2) return [wording.userNameBackslashes];
  const user = parts.at(-1) ?? '';
  const domainFaults = parts.length === 2 ? windowsDomainFaults(parts[0] ?? '') : [];
  return [...domainFaults, ...windowsUserFaults(user)];
}

function windowsDomainFaults(domain: string): readonly string[] {
  const details: string[] = [];
  if (domain.length >= DOMAIN_CHARACTERS) details.push(wording.userDomainTooLong(DOMAIN_CHARACTERS));
  const isNetBios = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/.test(domain);
  const isDns = /^[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?(\.[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?)*$/.test(domain);
  return isNetBios || isDns ? details : [...details, wording.userDomainFormat];
}

function windowsUserFaults(user: string): readonly string[] {
  if (user === '') return [wording.userEmpty];
  const details: string[] = [];
  if (user.length > USER_CHARACTERS) details.push(wording.userTooLong(USER_CHARACTERS));
  if (/["/:;|=,+*?<>@[\]]/.test(user)) details.push(wording.userCharacters);
  if (/^[. ]+$/.test(user)) details.push(wording.userDots);
  return details;
}
