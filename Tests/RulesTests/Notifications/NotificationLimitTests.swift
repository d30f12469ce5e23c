import People
import Rules
import Testing

/// How often each recipient is notified.
struct NotificationLimitTests {
    private static let minute: Int64 = 60_000
    private static let alice = AccountID(high: 1, low: 1)
    private static let mallory = AccountID(high: 1, low: 2)

    /// Whether a message is sent to a display.
    private func isAdmitted(
        _ limit: inout NotificationLimit,
        _ recipient: String,
        of maker: AccountID = Self.alice,
        ownsAll: Bool = false,
        at now: Int64
    ) -> Bool {
        limit.admit(recipient, by: [.display(recipient)], of: maker, ownsAll: ownsAll, at: now) == nil
    }

    @Test func `each recipient has a limit of its own for an hour`() {
        var limit = NotificationLimit(perHour: 3)
        for second in 0..<3 { #expect(isAdmitted(&limit, "a", at: Int64(second) * 1000)) }
        #expect(!isAdmitted(&limit, "a", at: 3000))
        #expect(isAdmitted(&limit, "b", at: 3000))
        #expect(!isAdmitted(&limit, "a", at: 60 * Self.minute - 1))
        #expect(isAdmitted(&limit, "a", at: 61 * Self.minute))
    }

    @Test func `no hour has more, whenever the first ones came`() {
        var limit = NotificationLimit(perHour: 10)
        var admitted: [Int64] = []
        // One each 97 seconds, for five hours.
        for number in 0..<186 {
            let now = Int64(number) * 97_000
            if isAdmitted(&limit, "a", at: now) { admitted.append(now) }
        }
        for time in admitted {
            #expect(admitted.count { $0 > time - 60 * Self.minute && $0 <= time } <= 10)
        }
        #expect(admitted.count > 40)
    }

    @Test func `what goes by several routes counts for all of them, or for none`() {
        var limit = NotificationLimit(perHour: 1)
        func admit(_ limit: inout NotificationLimit, _ recipient: String, _ displays: String...) -> Bool {
            let routes = displays.map { NotificationRoute.display($0) }
            return limit.admit(recipient, by: routes, of: Self.alice, ownsAll: true, at: 0) == nil
        }
        #expect(admit(&limit, "one", "a"))
        #expect(!admit(&limit, "two", "a", "b"))
        #expect(admit(&limit, "three", "b"))
    }

    @Test func `another limit counts at once`() {
        var limit = NotificationLimit(perHour: 1)
        #expect(isAdmitted(&limit, "a", at: 0) && !isAdmitted(&limit, "a", at: 0))
        limit.perHour = 2
        #expect(isAdmitted(&limit, "a", at: 0) && !isAdmitted(&limit, "a", at: 0))
    }

    @Test func `nobody uses up what others may send`() {
        var limit = NotificationLimit(perHour: 2)
        for _ in 0..<5 { _ = isAdmitted(&limit, "a", of: Self.mallory, at: 0) }
        #expect(!isAdmitted(&limit, "a", of: Self.mallory, at: 0))
        #expect(isAdmitted(&limit, "a", of: Self.alice, at: 0))
    }

    @Test(arguments: [false, true])
    func `who does not own everything sends ten times as many in all`(ownsAll: Bool) {
        var limit = NotificationLimit(perHour: 2)
        for number in 0..<20 { #expect(isAdmitted(&limit, "\(number)", ownsAll: ownsAll, at: 0)) }
        #expect(isAdmitted(&limit, "more", ownsAll: ownsAll, at: 0) == ownsAll)
        #expect(isAdmitted(&limit, "more", of: Self.mallory, at: 0))
        #expect(isAdmitted(&limit, "more", ownsAll: ownsAll, at: 61 * Self.minute))
    }

    @Test func `who does not own everything writes to five addresses in a day`() {
        var limit = NotificationLimit(perHour: 60)
        func isSent(
            _ limit: inout NotificationLimit,
            _ route: NotificationRoute,
            ownsAll: Bool = false,
            at now: Int64 = 0
        ) -> Bool {
            let excess = limit.admit(route.key, by: [route], of: Self.mallory, ownsAll: ownsAll, at: now)
            #expect(excess == nil || excess == .addresses)
            return excess == nil
        }
        for number in 0..<4 { #expect(isSent(&limit, .email("\(number)@example.org"))) }
        #expect(isSent(&limit, .sms("+49 30 1")))
        #expect(!isSent(&limit, .email("5@example.org")) && !isSent(&limit, .sms("+49 30 2")))
        // Those that are known, and what is no address, go on.
        #expect(isSent(&limit, .email("3@EXAMPLE.org")) && isSent(&limit, .display("hall")))
        #expect(isSent(&limit, .email("5@example.org"), ownsAll: true))
        #expect(!isSent(&limit, .email("5@example.org"), at: 23 * 60 * Self.minute))
        #expect(isSent(&limit, .email("5@example.org"), at: 24 * 60 * Self.minute))
    }
}
