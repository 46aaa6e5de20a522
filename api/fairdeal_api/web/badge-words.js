/**
 * The badge's few words, in English and Turkish.
 * @module
 */

/** @typedef {keyof typeof BADGE_EN} BadgeKey */

export const BADGE_EN = Object.freeze({
  waiting: "Fair deal: waiting",
  committed: "Fair deal: fixed and kept",
  locked: "Fair deal: seed is in",
  "locked-none": "Fair deal: fixed",
  verified: "Dealt honestly",
  consistent: "Nothing contradicts it",
  incomplete: "Not all was shown",
  refuted: "This does not add up",
  undealt: "Hand was not dealt",
  unreachable: "Fair deal: not reachable",
  trouble: "Fair deal: check failed",
  open: "Open the full check",
  title: "Fair deal badge",
});

/** @type {Readonly<Record<BadgeKey, string>>} */
export const BADGE_TR = Object.freeze({
  waiting: "Adil dağıtım: bekleniyor",
  committed: "Adil dağıtım: sabit ve saklandı",
  locked: "Adil dağıtım: tohumunuz içinde",
  "locked-none": "Adil dağıtım: sabit",
  verified: "Dürüst dağıtıldı",
  consistent: "Çelişen bir şey yok",
  incomplete: "Her şey gösterilmedi",
  refuted: "Bu el tutmuyor",
  undealt: "El dağıtılmadı",
  unreachable: "Adil dağıtım: ulaşılamıyor",
  trouble: "Adil dağıtım: denetim tutmadı",
  open: "Tam denetimi aç",
  title: "Adil dağıtım rozeti",
});
