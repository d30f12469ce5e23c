import Accounts
import Bindings
import Controller
import JSON
import Logging
import MQTT
import Messages
import People
import Rules
import TestSupport
import Things
import Threading

@testable import Daemon

/// The broker and the displays as a notifier sees them.
final class FakeDelivery: Sendable {
    struct Sent: Sendable, Hashable {
        let topic: String
        let body: JSONValue
    }

    struct State: Sendable {
        var sent: [Sent] = []
        var banners: [Banner] = []
        /// The topics that nobody reads.
        var unread: Set<String> = []
        var problems: [String?] = []
        var displays: Set<String> = ["hall"]
        /// The steady clock, milliseconds.
        var now: Int64 = 0
    }

    let state: Locked<State>
    let outbox: Outbox

    init() {
        let state = Locked(State())
        outbox = Outbox(
            Topics(root: "t/n"),
            publish: { message in
                let error = state.withLock { state -> MQTTPublishError? in
                    let body = (try? JSONValue(parsing: message.payload)) ?? .null
                    state.sent.append(Sent(topic: message.topic, body: body))
                    return state.unread.contains(message.topic) ? .unread(topic: message.topic) : nil
                }
                return MQTTReceipt(
                    AsyncStream<MQTTPublishError?> { port in
                        port.yield(error)
                        port.finish()
                    }
                )
            },
            report: { problem in state.withLock { $0.problems.append(problem) } },
            logger: Logger(label: "outbox") { _ in SwiftLogNoOpLogHandler() }
        )
        self.state = state
    }

    /// What was sent since the last call: the topic below the node, and to whom.
    func take() -> [String] {
        let sent = state.withLock { state in
            defer { state.sent = [] }
            return state.sent
        }
        return sent.map { "\($0.topic.dropFirst(4)) \($0.body["to"]?.string ?? "?")" }
    }

    /// What was reported of the outbox.
    var problems: [String?] { state.withLock { $0.problems } }
    var banners: [Banner] { state.withLock { $0.banners } }

    var ports: RuleNotifier.Ports {
        RuleNotifier.Ports(
            outbox: outbox,
            show: { [state] banner in state.withLock { $0.banners.append(banner) } },
            steady: { [state] in state.withLock { $0.now } }
        )
    }
}

/// A notifier that runs in a home with users.
struct NotifierBench: Sendable {
    let home: TestRules
    let delivery: FakeDelivery
    let notifier: RuleNotifier

    /// Sends a message of a maker's rule; returns why not.
    func send(
        _ recipients: [NotificationRecipient],
        of maker: AccountID,
        by channels: [RuleNotification.Channel] = []
    ) async -> Refusal? {
        let message = RuleMessage(
            rule: 1,
            slug: "warm",
            maker: maker,
            epoch: "e",
            firing: 7,
            at: TestRules.now,
            recipients: recipients,
            channels: channels,
            displays: delivery.state.withLock { $0.displays },
            subject: "Too warm",
            text: "radiator is at 31"
        )
        return await withCheckedContinuation { continuation in
            notifier.send(message) { continuation.resume(returning: $0) }
        }
    }

    /// Adds a contact; returns its number.
    @discardableResult
    func addContact(
        _ name: String,
        _ email: String = "",
        _ phone: String = "",
        of user: String = "bob",
        on channels: Set<Contact.Channel>
    ) throws -> String {
        let contact = Contact(name: name, email: email, phone: phone, channels: channels)
        let id = try home.store.accounts.addContact(contact, ofUser: user, by: .program(at: 1))
        return "\(id)"
    }

    func setEmail(_ email: String, of user: String) throws {
        try home.accounts.change { store in
            try store.setProfile(ofUser: user, display: nil, email: email, by: .program(at: 1))
        }
    }

    /// Registers an installation with its name as token.
    func install(_ name: String, of user: AccountID, isDevelopment: Bool = false) throws {
        let request = Installation.Request(token: name, device: .android, isDevelopment: isDevelopment)
        _ = try home.store.accounts.register(request, newID: name, owner: user)
    }
}

/// Runs a test with a notifier.
func withNotifier(perHour: Int = 60, _ body: (NotifierBench) async throws -> Void) async throws {
    try await withRules { (home, _) async throws in
        let delivery = FakeDelivery()
        let notifier = RuleNotifier(home.accounts, delivery.ports, perHour: perHour)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await notifier.run() }
            defer { group.cancelAll() }
            try await body(NotifierBench(home: home, delivery: delivery, notifier: notifier))
        }
    }
}
