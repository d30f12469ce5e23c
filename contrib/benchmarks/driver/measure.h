// What the measuring programs share: a client of the broker that is driven by the thread that measures,
// times, percentiles, and rows of the table.
#ifndef MEASURE_H
#define MEASURE_H

#include <mosquitto.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Says what went wrong on standard error and ends the program.
__attribute__((noreturn, format(printf, 1, 2))) void fail(const char *format, ...);

// The steady clock, microseconds.
double now_us(void);

// A connection to the broker on this machine; the subscriptions that follow are the caller's.
struct mosquitto *dial(int port, void (*heard)(struct mosquitto *, void *, const struct mosquitto_message *));
void subscribe(struct mosquitto *client, const char *topic, int qos);
void publish(struct mosquitto *client, const char *topic, const char *text, int qos);
// Lets the client read and write until the moment given; returns early when `flag` becomes other than 0.
void drive_until(struct mosquitto *client, double moment_us, const volatile int *flag);

// The values of a measurement; room for more comes as needed.
struct sample {
    double *values;
    size_t count, room;
};
void add(struct sample *sample, double value);
// The value that a share of all values does not exceed; the sample is sorted by it.
double share(struct sample *sample, double part);

// A number of /proc/<pid>/status in kB, such as "VmRSS"; 0 when there is none.
long status_kb(int pid, const char *key);

// Time on a processor of all threads of a process, those that ended included: user and system, nanoseconds.
double processor_ns(int pid);
// The part of a core that a process takes while the client reads and writes for so many seconds, percent.
double processor_share(struct mosquitto *client, int pid, int seconds);

// How often threads of a process waited and went on. Threads that end take their counts along: who reads often misses little,
// and never counts less than before. Begins with zeros.
struct wakeups {
    long sum;
    int count;
    struct {
        int thread;
        long seen;
    } threads[256];
};
void read_wakeups(int pid, struct wakeups *wakeups);

// | what | floor | ours | ratio | aim | met |
void row_ratio(const char *what, const char *unit, double floor, double ours, double aim);
void row_below(const char *what, const char *format, double ours, const char *aim_text, double aim);
// Ours beside ours, with so many digits behind the point; `met` is negative where there is no aim.
void row_beside(const char *what, const char *unit, int digits, double other, double ours, const char *aim, int met);

// A subscriber that sees a daemon start, the start itself, and its end.
struct mosquitto *watch_start(int port, const char *root, int things);
pid_t start_once(struct mosquitto *client, char **command, double *online_ms, double *whole_ms);
void stop(pid_t daemon);

// A place that is compared with another one: each has a broker and a state of its own.
struct place {
    int port;
    // Of the daemon.
    char *state;
    int pid;
};

// Starts the daemon of a place, and waits until all is published.
pid_t launch(const struct place *place, struct mosquitto *client, char *program, double *online, double *whole);
// How two places start, in turn, in milliseconds: until `status` is online, until all things are published, and processor
// time until a second later. One for each place; the first start of each is not counted.
struct starts {
    struct sample online, whole, processor;
};
void compare_starts(const struct place *places, struct mosquitto **clients, int runs, char *program, struct starts *starts);
// Lets the clients of two places read for a while, so that neither broker has to keep anything for them.
void let_read(struct mosquitto **clients, double us);
// Until what the start of a daemon needed has been given back, which it does every 20 s.
extern const double settling_us;
// Anonymous memory of two daemons that have settled, in megabytes; the median of several starts.
void compare_memory(const struct place *places, struct mosquitto **clients, char *program, double *first, double *second);

// Which lamps are set; every second one may have a profile. The nearby one is the first, by its own topic. The last three
// are those that `trilateral-bench rules` deals out, of four lamps each: no rule looks at the first one, and a rule that
// never fires at the second; the fourth one gets the brightness of the third from two rules, and its state is awaited.
enum lamps { all_lamps, odd_lamps, even_lamps, even_profiles, nearby_lamp, unruled_lamps, watched_lamps, leading_lamps };

// Who commands, in turn with others.
struct contender {
    const struct place *place;
    // Of its topics.
    const char *root;
    enum lamps things;
    int qos;
    // Between an answer and the next command.
    double pause_us;
    // Until the answer comes, and not the thing's new state; with a token in the command, if there is one.
    int awaits_answer;
    const char *token;
    // Commands of one action, as programs for Thing-IF give them, in place of sets; awaits their answers.
    int is_command;

    // What is measured, microseconds each.
    struct sample delays;
    double processor_ns;

    struct mosquitto *client;
    // The value of each thing as last set.
    int *current;
};
// Each sends a hundred commands in its turn, one after the other, on things up to this number.
void take_turns(struct contender *sides, int count, int things, int rounds);
// Rows of two that took turns: median, 99 % and processor time. Ratios of the first and the last may be this large at most;
// 0 is no aim.
void compare_contenders(const char *what, struct contender *other, struct contender *ours, int rounds, double median,
                        double processor);

// Puts a device beside the first lamp, and waits until that is near.
void go_near(int port, const char *root);

int echo(int port, const char *root, int things, int rounds, const int *pids, const char *token);
int send_commands(int port, const char *root, int things, int first, int count);
int send_watched(int port, const char *root, int things, int first, int count);
int send_moves(int port, const char *root, int things, int first, int count);
int send_lists(int port, int things, int first, int count);
int link_lamps(int port, const char *root, int lamps);
int start(int port, const char *root, int things, int runs, char **command);
int idle(int pid, int things, int seconds);
int discovery(int port, const char *root, int things, int runs);
int storm(int port, const char *root, int things, int seconds, int pid);
int profile_starts(const struct place *places, const char *root, int things, int runs, char *program);
int profile_commands(const struct place *places, const char *root, int things, int rounds);
int people_memory(const struct place *places, const char *root, int things, char *program);
int people_commands(const struct place *places, const char *root, const char *token, int web, int rounds);
int bindings_memory(const struct place *places, const char *root, int things, char *program);
int bindings_commands(const struct place *place, const char *root, int bindings, int rounds);
int rules_starts(const struct place *places, const char *root, int things, int runs, int seconds, char *program);
int rules_commands(const struct place *places, const char *root, int things, int rounds);
int devices_rest(int few_pid, int many_pid, int further, int seconds);
int devices_commands(const struct place *places, int devices, int rounds);
int devices_walk(const struct place *places, int devices, int seconds);
int fleet(int port, const char *configuration, int count, const char *folder, int seconds, char *program);
int scanning(int port, const char *root, int pid, int seconds);
int receiver(int port, const char *root, int pid, int seconds);
int wear(int port, const char *root, int things, int seconds, int pid, const char *state);

#endif
