// The least that a client can do between a command and a state: what comes on `floor/things/<t>/set` goes out on
// `floor/things/<t>`, retained, QoS 1. Everything the daemon does more is measured against this.
#include <mosquitto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void on_connect(struct mosquitto *client, void *object, int code) {
    (void)object;
    if (code == 0) mosquitto_subscribe(client, NULL, "floor/things/+/set", 1);
}

static void on_message(struct mosquitto *client, void *object, const struct mosquitto_message *message) {
    (void)object;
    char topic[256];
    size_t length = strlen(message->topic) - strlen("/set");
    if (length >= sizeof topic) return;
    memcpy(topic, message->topic, length);
    topic[length] = 0;
    mosquitto_publish(client, NULL, topic, message->payloadlen, message->payload, 1, true);
}

int main(int count, char **arguments) {
    if (count != 2) return fputs("usage: floor PORT\n", stderr), 64;
    mosquitto_lib_init();
    struct mosquitto *client = mosquitto_new("floor", true, NULL);
    if (!client) return 70;
    mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1);
    mosquitto_connect_callback_set(client, on_connect);
    mosquitto_message_callback_set(client, on_message);
    if (mosquitto_connect(client, "127.0.0.1", atoi(arguments[1]), 300) != MOSQ_ERR_SUCCESS) return 69;
    return mosquitto_loop_forever(client, -1, 1);
}
