/* The order of work in one turn of the loop. */
#ifndef LAS_CONTROLLER_TURN_H
#define LAS_CONTROLLER_TURN_H

/* Decisions in one turn: the rest waits for the next, so that reading and answering go on between.
 */
#define LAS_DECISIONS_PER_TURN 16u
/* Waiting pods that one turn asks whether a changed node now takes them. */
#define LAS_WAKE_CHECKS_PER_TURN 4096u
/* A refusal for the same reasons is said again after this. */
#define LAS_SAY_AGAIN_NS (300 * LAS_NS_PER_SEC)
/* Events of one pod whose reasons go to and fro: not closer than this. */
#define LAS_SAY_CHANGED_NS (10 * LAS_NS_PER_SEC)

#endif
