package import Accounts
import Bindings
package import Controller
import MQTT
import People
import Rules
import Text
package import Things
import Threading

/// Sends what rules tell people, in the order in which they do.
///
/// Rights, contacts and addresses are those of the moment at which a message is sent.
/// - Source: contrib/contract/rules.md, "Notifications".
package final class RuleNotifier: Sendable {
    /// What the notifier uses of the node.
    package struct Ports: Sendable {
        /// Hands a message to the programs that deliver it.
        package var outbox: Outbox
        /// Shows a banner.
        package var show: @Sendable (Banner) -> Void
        /// Milliseconds of a steady clock.
        package var steady: @Sendable () -> Int64

        package init(
            outbox: Outbox,
            show: @escaping @Sendable (Banner) -> Void,
            steady: @escaping @Sendable () -> Int64
        ) {
            (self.outbox, self.show, self.steady) = (outbox, show, steady)
        }
    }

    private struct Request: Sendable {
        let message: RuleMessage
        let end: @Sendable (Refusal?) -> Void
    }

    /// What is under way of a message, and what could not be sent.
    private struct Delivery: Sendable {
        var posted: [(name: String, message: Outbox.Posted)] = []
        var failures: [Refusal] = []
    }

    /// How long a banner is shown, seconds.
    package static let bannerSeconds = 10
    /// How long the broker may take to accept a message.
    private static let patience = Duration.seconds(30)
    /// Enough to find what was accepted already.
    private static let leastPatience = Duration.milliseconds(20)

    private let directory: RecipientDirectory
    private let ports: Ports
    private let limit: Locked<NotificationLimit>
    private let requests: AsyncStream<Request>
    private let port: AsyncStream<Request>.Continuation

    package init(_ accounts: AccountsRegistry, _ ports: Ports, perHour: Int) {
        (directory, self.ports) = (RecipientDirectory(accounts: accounts), ports)
        limit = Locked(NotificationLimit(perHour: perHour))
        (requests, port) = AsyncStream.makeStream()
    }

    /// Follows another limit from now on.
    package func use(perHour: Int) { limit.withLock { $0.perHour = perHour } }

    /// Sends a message; may be called on the loop, and never waits.
    ///
    /// - Parameter end: Called once, when all of it was accepted, or with why not.
    package func send(_ message: RuleMessage, end: @escaping @Sendable (Refusal?) -> Void) {
        port.yield(Request(message: message, end: end))
    }

    /// Sends until the task is cancelled.
    package func run() async {
        await withDiscardingTaskGroup { group in
            for await request in requests {
                let delivery = begin(request.message)
                group.addTask { request.end(await self.finish(delivery)) }
            }
            group.cancelAll()
        }
    }

    // MARK: One message

    private func begin(_ message: RuleMessage) -> Delivery {
        var delivery = Delivery()
        let ownsAll = directory.ownsAll(.user(message.maker))
        // Who is named twice gets it once.
        var known: Set<String> = []
        for recipient in message.recipients {
            // Results have the names that people know.
            let name = directory.named(recipient, of: message.maker).label
            do throws(Refusal) {
                let routes = try routes(to: recipient, message).filter { known.insert($0.key).inserted }
                guard !routes.isEmpty else { continue }
                let now = ports.steady()
                let refusal = limit.withLock { limit in
                    limit.admit(recipient.text, by: routes, of: message.maker, ownsAll: ownsAll, at: now)
                        .map { Refusal(of: $0, limit) }
                }
                if let refusal { throw refusal }
                for route in routes { send(message, by: route, to: name, in: &delivery) }
            } catch {
                delivery.failures.append(Refusal(error.code, "\(name): \(error.message)"))
            }
        }
        return delivery
    }

    private func routes(
        to recipient: NotificationRecipient,
        _ message: RuleMessage
    ) throws(Refusal) -> [NotificationRoute] {
        switch recipient {
        case .display(let id) where message.displays.contains(id): return [.display(id)]
        case .allDisplays where !message.displays.isEmpty: return [.display(nil)]
        // Anybody may name any, so nothing is counted or told of one that is not there.
        case .display: throw Refusal(.unknownDisplay, "no such display is attached")
        case .allDisplays: throw Refusal(.unknownDisplay, "no display is open")
        case .user, .contact, .installation, .email, .sms: break
        }
        let reach = try directory.reach(recipient, of: message.maker, as: .user(message.maker))
        let routes = reach?.routes(by: message.channels) ?? []
        guard routes.isEmpty else { return routes }
        let all = RuleNotification.Channel.allCases
        let names = (message.channels.isEmpty ? all : message.channels).map(\.rawValue)
        let hint = message.channels.isEmpty || message.channels.contains(.email) ? recipient.hint : ""
        throw Refusal(
            .notNotifiable,
            "no channel is on and has an address: \(names.joined(separator: ", "))\(hint)"
        )
    }

    private func send(
        _ message: RuleMessage,
        by route: NotificationRoute,
        to name: String,
        in delivery: inout Delivery
    ) {
        let content = message.content
        let id = BindingService.newName("m")
        switch route {
        case .email(let address):
            let posted = ports.outbox.post(content.email(to: address, id: id), by: .email)
            delivery.posted.append((name: name, message: posted))
        case .sms(let number):
            let posted = ports.outbox.post(content.sms(to: number, id: id), by: .sms)
            delivery.posted.append((name: name, message: posted))
        case .push(let installation):
            let posted = ports.outbox.post(
                content.push(to: installation, id: id),
                by: .push(isDevelopment: installation.request.isDevelopment)
            )
            delivery.posted.append((name: name, message: posted))
        case .display(let display):
            let banner = Banner(
                on: display,
                message.subject,
                message.text,
                seconds: Self.bannerSeconds,
                rule: message.slug
            )
            ports.show(banner)
        }
    }

    /// Waits until all of a message was accepted.
    ///
    /// - Returns: Why not.
    private func finish(_ delivery: Delivery) async -> Refusal? {
        var failures = delivery.failures
        // They were sent together, so they have this time together.
        let end = ContinuousClock.now + Self.patience
        for (name, posted) in delivery.posted {
            let left = max(Self.leastPatience, end - ContinuousClock.now)
            do throws(MQTTPublishError) {
                try await ports.outbox.wait(for: posted, left)
            } catch {
                if case .timedOut = error {
                    failures.append(Refusal(of: .timedOut(Self.patience), to: name))
                } else {
                    failures.append(Refusal(of: error, to: name))
                }
            }
        }
        guard let first = failures.first else { return nil }
        let texts = failures.prefix(5).map(\.message)
        let more = failures.count - texts.count
        let rest = more > 0 ? "; and \(more) more" : ""
        return Refusal(first.code, QuotedValue.clipped(texts.joined(separator: "; ") + rest, to: 1000))
    }
}

extension NotificationRecipient {
    /// Where a user adds the address that is missing.
    fileprivate var hint: String {
        switch self {
        case .user: "; the user adds an e-mail address on /me"
        case .contact: "; the address and the channels of a contact are on /me"
        case .installation, .display, .allDisplays, .email, .sms: ""
        }
    }
}

extension Refusal {
    /// Why a user's rules send no more.
    fileprivate init(of excess: NotificationLimit.Excess, _ limit: NotificationLimit) {
        let message =
            switch excess {
            case .recipient:
                "it has had \(limit.perHour) messages of this user's rules in the last hour, and gets no more"
                    + " (rules.notify_per_hour)"
            case .maker:
                "this user's rules have sent \(limit.perMaker) messages in the last hour, and send no more"
                    + " (rules.notify_per_hour)"
            case .addresses:
                "this user's rules write to \(NotificationLimit.mostAddresses) addresses and numbers in a day;"
                    + " more need the right \"own all\""
            }
        self.init(.rateLimited, message)
    }

    /// Why the broker has not accepted a message.
    fileprivate init(of error: MQTTPublishError, to name: String) {
        switch error {
        case .unread:
            self.init(.serverRejected, "\(name): \(error), so nothing delivers it: see contrib/outbox")
        case .timedOut: self.init(.timeout, "\(name): \(error); it may still be sent")
        case .queueFull: self.init(.rateLimited, "\(name): \(error)")
        case .invalidTopic, .invalidProperty, .tooLarge, .notConnected, .refusedByBroker, .stopped:
            self.init(.serverRejected, "\(name): \(error)")
        }
    }
}

extension RuleMessage {
    fileprivate var content: NotificationMessage {
        NotificationMessage(
            subject: subject,
            text: text,
            rule: slug,
            epoch: epoch,
            firing: firing,
            at: at
        )
    }
}
