import Administration
import Daemon
import JSON
import People
import Threading

/// A link that signs in the owner of a daemon that is starting.
enum SignInLink {
    /// Asks until the daemon's socket is there; `nil` if it is not in time.
    static func make(in folder: String, within limit: Duration) async -> String? {
        let end = ContinuousClock.now + limit
        let request = AdministrationClient.request(.post, ["sign-in-links"], body: [:])
        while ContinuousClock.now < end {
            if let answer = try? await AdministrationClient(folder: folder).send(request),
                answer.status == 201
            {
                return answer.body?["url"]?.string
            }
            guard (try? await Task.sleep(for: .milliseconds(20))) != nil else { break }
        }
        return nil
    }
}
