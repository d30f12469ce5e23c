// Drives a daemon from outside and measures what a user of it would see.
#include "measure.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int free_port(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&address, length) || getsockname(listener, (struct sockaddr *)&address, &length))
        fail("no free port");
    close(listener);
    return printf("%d\n", ntohs(address.sin_port)), 0;
}

// Until the broker answers; or, with a topic, until that holds the text.
static volatile int holds;
static const char *text_wanted;

static void heard(struct mosquitto *client, void *object, const struct mosquitto_message *message) {
    (void)client, (void)object;
    if (message->payload && !strcmp(message->payload, text_wanted)) holds = 1;
}

static int await(int port, const char *topic, const char *text) {
    double end = now_us() + 300e6;
    struct mosquitto *client = NULL;
    while (!(client = dial(port, heard)) && now_us() < end) usleep(20000);
    if (!client) fail("nobody answers on port %d", port);
    if (!topic) return 0;
    text_wanted = text;
    subscribe(client, topic, 1);
    drive_until(client, end, &holds);
    if (!holds) fail("%s does not become %s", topic, text);
    return 0;
}

int main(int count, char **arguments) {
    mosquitto_lib_init();
    const char *verb = count > 1 ? arguments[1] : "";
    int numbers[10] = {0};
    for (int index = 2; index < count && index < 10; index++) numbers[index] = atoi(arguments[index]);
    if (!strcmp(verb, "port")) return free_port();
    if (!strcmp(verb, "await") && count == 3) return await(numbers[2], NULL, NULL);
    if (!strcmp(verb, "await") && count == 5) return await(numbers[2], arguments[3], arguments[4]);
    if (!strcmp(verb, "echo") && count == 10)
        return echo(numbers[2], arguments[3], numbers[4], numbers[5], numbers + 6, arguments[9]);
    if (!strcmp(verb, "commands") && count == 7)
        return send_commands(numbers[2], arguments[3], numbers[4], numbers[5], numbers[6]);
    if (!strcmp(verb, "watched-commands") && count == 7)
        return send_watched(numbers[2], arguments[3], numbers[4], numbers[5], numbers[6]);
    if (!strcmp(verb, "moves") && count == 7)
        return send_moves(numbers[2], arguments[3], numbers[4], numbers[5], numbers[6]);
    if (!strcmp(verb, "lists") && count == 6) return send_lists(numbers[2], numbers[3], numbers[4], numbers[5]);
    if (!strcmp(verb, "link") && count == 5) return link_lamps(numbers[2], arguments[3], numbers[4]);
    if (!strcmp(verb, "start") && count > 6)
        return start(numbers[2], arguments[3], numbers[4], numbers[5], arguments + 6);
    if (!strcmp(verb, "idle") && count == 5) return idle(numbers[2], numbers[3], numbers[4]);
    if (!strcmp(verb, "storm") && count == 7)
        return storm(numbers[2], arguments[3], numbers[4], numbers[5], numbers[6]);
    if (!strcmp(verb, "scanning") && count == 6) return scanning(numbers[2], arguments[3], numbers[4], numbers[5]);
    if (!strcmp(verb, "receiver") && count == 6) return receiver(numbers[2], arguments[3], numbers[4], numbers[5]);
    if (!strcmp(verb, "wear") && count == 8)
        return wear(numbers[2], arguments[3], numbers[4], numbers[5], numbers[6], arguments[7]);
    if (!strcmp(verb, "discovery") && count == 6)
        return discovery(numbers[2], arguments[3], numbers[4], numbers[5]);
    if (!strcmp(verb, "profile-starts") && count == 10) {
        const struct place places[] = {{numbers[2], arguments[3], 0}, {numbers[4], arguments[5], 0}};
        return profile_starts(places, arguments[6], numbers[7], numbers[8], arguments[9]);
    }
    if (!strcmp(verb, "profile-commands") && count == 9) {
        const struct place places[] = {{numbers[2], NULL, numbers[3]}, {numbers[4], NULL, numbers[5]}};
        return profile_commands(places, arguments[6], numbers[7], numbers[8]);
    }
    if (!strcmp(verb, "people-memory") && count == 9) {
        const struct place places[] = {{numbers[2], arguments[3], 0}, {numbers[4], arguments[5], 0}};
        return people_memory(places, arguments[6], numbers[7], arguments[8]);
    }
    if (!strcmp(verb, "people-commands") && count == 10) {
        const struct place places[] = {{numbers[2], NULL, numbers[3]}, {numbers[4], NULL, numbers[5]}};
        return people_commands(places, arguments[6], arguments[7], numbers[8], atoi(arguments[9]));
    }
    if (!strcmp(verb, "bindings-memory") && count == 9) {
        const struct place places[] = {{numbers[2], arguments[3], 0}, {numbers[4], arguments[5], 0}};
        return bindings_memory(places, arguments[6], numbers[7], arguments[8]);
    }
    if (!strcmp(verb, "bindings-commands") && count == 7) {
        const struct place place = {numbers[2], NULL, numbers[3]};
        return bindings_commands(&place, arguments[4], numbers[5], numbers[6]);
    }
    if (!strcmp(verb, "rules-starts") && count == 11) {
        const struct place places[] = {{numbers[2], arguments[3], 0}, {numbers[4], arguments[5], 0}};
        return rules_starts(places, arguments[6], numbers[7], numbers[8], numbers[9], arguments[10]);
    }
    if (!strcmp(verb, "rules-commands") && count == 11) {
        const struct place places[] = {
            {numbers[2], NULL, numbers[3]}, {numbers[4], NULL, numbers[5]}, {numbers[6], NULL, numbers[7]}};
        return rules_commands(places, arguments[8], numbers[9], atoi(arguments[10]));
    }
    if (!strcmp(verb, "devices-rest") && count == 6)
        return devices_rest(numbers[2], numbers[3], numbers[4], numbers[5]);
    if ((!strcmp(verb, "devices-commands") || !strcmp(verb, "devices-walk")) && count == 8) {
        const struct place places[] = {{numbers[2], NULL, numbers[3]}, {numbers[4], NULL, numbers[5]}};
        return !strcmp(verb, "devices-walk") ? devices_walk(places, numbers[6], numbers[7])
                                             : devices_commands(places, numbers[6], numbers[7]);
    }
    if (!strcmp(verb, "fleet") && count == 8)
        return fleet(numbers[2], arguments[3], numbers[4], arguments[5], numbers[6], arguments[7]);
    fail("usage: drive port | await PORT [TOPIC TEXT] | echo PORT ROOT THINGS ROUNDS C_PID PYTHON_PID PID TOKEN |\n"
         "  commands | watched-commands | moves PORT ROOT THINGS FIRST COUNT |\n"
         "  lists PORT THINGS FIRST COUNT |\n"
         "  link PORT ROOT LAMPS | start PORT ROOT THINGS RUNS COMMAND… | idle PID THINGS SECONDS |\n"
         "  storm PORT ROOT THINGS SECONDS PID | scanning PORT ROOT PID SECONDS | receiver PORT ROOT PID SECONDS |\n"
         "  discovery PORT ROOT THINGS RUNS | wear PORT ROOT THINGS SECONDS PID STATE |\n"
         "  profile-starts PORT STATE PORT STATE ROOT THINGS RUNS PROGRAM |\n"
         "  profile-commands PORT PID PORT PID ROOT THINGS ROUNDS |\n"
         "  people-memory PORT STATE PORT STATE ROOT THINGS PROGRAM |\n"
         "  people-commands PORT PID PORT PID ROOT TOKEN WEB ROUNDS |\n"
         "  bindings-memory PORT STATE PORT STATE ROOT THINGS PROGRAM |\n"
         "  bindings-commands PORT PID ROOT BINDINGS ROUNDS |\n"
         "  rules-starts PORT STATE PORT STATE ROOT THINGS RUNS SECONDS PROGRAM |\n"
         "  rules-commands PORT PID PORT PID PORT PID ROOT THINGS ROUNDS |\n"
         "  devices-rest PID PID FURTHER SECONDS |\n"
         "  devices-commands PORT PID PORT PID DEVICES ROUNDS | devices-walk PORT PID PORT PID DEVICES SECONDS |\n"
         "  fleet PORT CONFIGURATION NODES FOLDER SECONDS PROGRAM");
}
