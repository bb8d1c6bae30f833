// A goal for a session: so many questions from now on. Kept in this browser; nobody else sees it.

import { tell } from "./language.js";

const key = (owner) => `oneof-goal-${owner}`;

/** {size, from}: from is how many this person had answered when the session began. Null without a goal. */
export function readGoal(owner) {
  try {
    const goal = JSON.parse(localStorage.getItem(key(owner)));
    return goal && goal.size >= 1 && goal.from >= 0 ? goal : null;
  } catch {
    return null;
  }
}

export function setGoal(owner, size, from) {
  localStorage.setItem(key(owner), JSON.stringify({ size, from }));
}

export function endGoal(owner) {
  localStorage.removeItem(key(owner));
}

/** How far the session is, in words; empty without a goal. Undoing may lead below the start. */
export function goalText(owner, total) {
  const goal = readGoal(owner);
  if (!goal) return "";
  const done = Math.max(0, total - goal.from);
  return done >= goal.size ? tell("own.goal_reached", { size: goal.size }) : tell("own.goal_now", { done, size: goal.size });
}
