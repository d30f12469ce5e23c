// What rights cost a daemon: one that knows only its owner beside the same place with as many users, groups and grants
// as there may be.
#include "measure.h"
#include "wire.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { alone, crowded, place_count };

int people_memory(const struct place *places, const char *root, int things, char *program) {
    struct mosquitto *clients[place_count];
    for (int index = 0; index < place_count; index++) clients[index] = watch_start(places[index].port, root, things);
    double without, with;
    compare_memory(places, clients, program, &without, &with);
    row_beside("idle, 1,000 users and 10,000 grants, against an owner alone: anonymous memory", "MB", 1, without, with,
               "≤ 2.0 MB more", with - without <= 2);
    return 0;
}

// MARK: What goes on meanwhile

struct asking {
    int connection;
    struct buffer input;
};

// An answer that says it is done; the number of what was made, or 0.
static long ask(struct asking *asking, const char *token, const char *method, const char *path, const char *body) {
    char text[600];
    int length = snprintf(text, sizeof text,
                          "%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\n%s%s%sContent-Type: application/json\r\n"
                          "Content-Length: %zu\r\n\r\n%s",
                          method, path, token ? "Authorization: Bearer " : "", token ? token : "", token ? "\r\n" : "",
                          strlen(body), body);
    send_all(asking->connection, text, (size_t)length);
    struct buffer *input = &asking->input;
    size_t begin = 0, whole = 0;
    while (!whole) {
        if (fill(input, asking->connection) <= 0) fail("no answer to %s %s", method, path);
        const char *head = input->bytes + input->start, *end = strstr(head, "\r\n\r\n");
        // That status has no body.
        if (end && !strncmp(head, "HTTP/1.1 204", 12)) whole = (size_t)(end + 4 - head);
        else whole = http_message(input, &begin);
    }
    const char *head = input->bytes + input->start, *id = strstr(head, "\"id\":");
    if (strncmp(head, "HTTP/1.1 2", 10)) fail("%s %s: %.400s", method, path, head);
    long made = id ? atol(id + 5) : 0;
    input->start += whole;
    return made;
}

static void sign_in(struct asking *asking) {
    ask(asking, NULL, "POST", "/api/session", "{\"user\":\"user-1\",\"password\":\"correct horse battery\"}");
}

// Adds a grant, and removes it again. Only the owner may.
static void change_grants(struct asking *asking) {
    const char *owner = getenv("BENCH_OWNER");
    char path[100];
    long made = ask(asking, owner, "POST", "/api/grants", "{\"who\":\"user-900\",\"scope\":\"thing:lamp-1000\",\"access\":\"read\"}");
    snprintf(path, sizeof path, "/api/grants/%ld", made);
    ask(asking, owner, "DELETE", path, "");
}

// Does it again and again, in a process of its own, until that is ended.
static pid_t keep_doing(void (*work)(struct asking *), int web) {
    pid_t child = fork();
    if (child) return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    struct asking asking = {.connection = connect_to(web)};
    for (;;) work(&asking);
}

// MARK: Commands

static void measure_meanwhile(const char *what, void (*work)(struct asking *), int web, const struct place *place,
                              const char *root, int rounds) {
    struct contender side = {.place = place, .root = root, .things = even_lamps, .qos = 1, .awaits_answer = 1};
    pid_t child = keep_doing(work, web);
    take_turns(&side, 1, 10, rounds);
    if (waitpid(child, NULL, WNOHANG) != 0) fail("nothing was done meanwhile");
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    char text[160];
    snprintf(text, sizeof text, "command to answer while %s: 99 %%", what);
    row_below(text, "%.1f ms", share(&side.delays, 0.99) / 1000, "< 20 ms", 20);
    snprintf(text, sizeof text, "command to answer while %s: longest", what);
    row_below(text, "%.1f ms", share(&side.delays, 1) / 1000, "< 100 ms", 100);
}

int people_commands(const struct place *places, const char *root, const char *token, int web, int rounds) {
    struct contender sides[] = {
        {&places[alone], root, odd_lamps, .qos = 1, .awaits_answer = 1},
        {&places[crowded], root, even_lamps, .qos = 1, .awaits_answer = 1},
        {&places[crowded], root, odd_lamps, .qos = 1, .awaits_answer = 1, .token = token},
    };
    // The user of the token may drive the first ten lamps.
    take_turns(sides, sizeof sides / sizeof *sides, 10, rounds);
    compare_contenders("command to answer, the owner among 1,000 users and 10,000 grants, against alone", &sides[0],
                       &sides[1], rounds, 1.05, 0);
    compare_contenders("command to answer, a user with a token there, against the owner alone", &sides[0], &sides[2], rounds,
                       1.05, 0);

    struct asking asking = {.connection = connect_to(web)};
    struct sample sign_ins = {0}, grants = {0};
    for (int round = 0; round < 10; round++) {
        double begun = now_us();
        sign_in(&asking);
        add(&sign_ins, now_us() - begun);
        begun = now_us();
        change_grants(&asking);
        add(&grants, (now_us() - begun) / 2);
    }
    double seconds = share(&sign_ins, 0.5) / 1e6;
    char text[64];
    snprintf(text, sizeof text, "%.2f s", seconds);
    printf("| a sign-in: median | – | %s | – | 0.2 to 1 s | %s |\n", text, seconds >= 0.2 && seconds <= 1 ? "yes" : "**no**");
    row_below("a grant added or removed among 10,000: median", "%.0f ms", share(&grants, 0.5) / 1e3, "–", 0);
    measure_meanwhile("somebody signs in", sign_in, web, &places[crowded], root, rounds);
    measure_meanwhile("grants change", change_grants, web, &places[crowded], root, rounds);
    return 0;
}
