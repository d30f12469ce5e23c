/// The description of the API for programs: OpenAPI 3.1.
///
/// A test replays it against the listener.
enum APIDescription {
    static let json = PackageResources.openapi_json
}
